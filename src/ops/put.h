// Replacing one entry along a dimension.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

/// y with x at `position`, one int, along `dim`; x has `entry`, of size 1, instead of `dim`.
ValueId put(Builder& build, ValueId y, ValueId x, ValueId position, DimId dim, DimId entry);

}  // namespace mtfc::ops
