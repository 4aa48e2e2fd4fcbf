// Joining tensors along a dimension.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

/// One after the other along `dim`; operand i has operand_dims[i] instead of it. Without
/// operand_dims each operand is one element of `dim`.
ValueId concat(Builder& build, std::vector<ValueId> operands, DimList operand_dims, DimId dim);

}  // namespace mtfc::ops
