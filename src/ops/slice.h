// Static ranges of a dimension: slice, and pad, its adjoint.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

/// x with zeros around it: what had `from` has `to`, and x stands at `begin` of it.
ValueId pad(Builder& build, ValueId x, DimId from, std::int64_t begin, DimId to);

/// A range of a dimension: `fresh` is dim[begin : begin + size(fresh)].
struct DimRange {
  DimId dim, fresh;
  std::int64_t begin = 0;
};
/// The range that a `slice` takes; nothing for other operations.
std::optional<DimRange> sliced_range(const Operation& op);

}  // namespace mtfc::ops
