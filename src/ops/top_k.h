// The largest elements along a dimension.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

/// The indices along `dim` of size(ranks) elements in descending order, from rank `first` (0: the
/// largest) on, as i32; the result has `ranks` instead of `dim`.
ValueId top_places(Builder& build, ValueId x, DimId dim, DimId ranks, std::int64_t first = 0);

}  // namespace mtfc::ops
