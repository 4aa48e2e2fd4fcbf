// Running sums along a dimension.
#pragma once
#include "ops/builder.h"
#include "ops/op.h"

namespace mtfc::ops {

ValueId cumsum(Builder& build, ValueId x, const RunningSum& sum);

}  // namespace mtfc::ops
