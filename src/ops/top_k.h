// The largest elements along a dimension.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

/// The indices along `dim` of size(k) elements in descending order, from number `first` (0: the
/// largest) on, as i32; the result has `k` instead of `dim`.
ValueId top_k(Builder& build, ValueId x, DimId dim, DimId k, std::int64_t first = 0);

}  // namespace mtfc::ops
