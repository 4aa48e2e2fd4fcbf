// A static range of a dimension, and its adjoint.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// `large` of one side has `small` of the other in its place, from `begin` on; neither is split.
inline std::string check_range(const InstrContext& c, const ShardType& all, DimId large,
                               const ShardType& range, DimId small, std::int64_t begin) {
  if (!contains(all.tensor.dims, large) || !contains(range.tensor.dims, small))
    return "the cut dimension is missing";
  if (!split_of(all, large).empty() || !split_of(range, small).empty())
    return "a cut dimension is split";
  if (all.tensor.dtype != range.tensor.dtype) return "the element type changes";
  if (!same_set(without(all.tensor.dims, {large}), without(range.tensor.dims, {small})))
    return "wrong resulting dimensions";
  if (begin < 0 || begin > c.dims.size(large) - c.dims.size(small))
    return "the range is not within the dimension";
  return aligned(all, range);
}

/// x[dim = begin : begin + size(fresh) -> fresh]; dim is whole.
struct Slice {
  static constexpr std::string_view kName = "slice";
  DimId dim, fresh;
  std::int64_t begin = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("fresh", self.fresh);
    f("begin", self.begin);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    return check_range(c, c.in[0], dim, c.out[0], fresh, begin);
  }
  PartialResult partial(const ShardTypes& in, bool) const { return partial_as_first(in); }

  friend bool operator==(const Slice&, const Slice&) = default;
};
/// The adjoint of slice: zeros of dim's size with x at `begin`; x has `fresh`, the result `dim`.
struct Pad {
  static constexpr std::string_view kName = "pad";
  DimId fresh, dim;
  std::int64_t begin = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("fresh", self.fresh);
    f("dim", self.dim);
    f("begin", self.begin);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = counts(c, 1, 1); !error.empty()) return error;
    return check_range(c, c.out[0], dim, c.in[0], fresh, begin);
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    const bool sum = !in[0].sharding.is_partial() || in[0].sharding.combine == Combine::sum;
    return sum ? partial_as_first(in) : std::nullopt;
  }

  friend bool operator==(const Pad&, const Pad&) = default;
};

}  // namespace mtfc
