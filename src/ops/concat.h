// Joining tensors along a dimension.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

/// One after the other along `dim`; operand i has parts[i] instead of it. No parts: each operand is
/// one element of `dim`.
ValueId concat(Builder& build, std::vector<ValueId> operands, DimList parts, DimId dim);

}  // namespace mtfc::ops
