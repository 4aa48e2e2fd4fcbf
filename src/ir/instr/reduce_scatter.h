// From partial to complete and split.
#pragma once
#include <algorithm>

#include "ir/instr/rules.h"
#include "ir/instr/shard.h"

namespace mtfc {

/// Partial over `axis` -> complete and split: a dimension of each operand, dims[i] of operand i,
/// gets `axis` as its minor-most axis. Several operands, which are partial alike: one bucket.
struct ReduceScatter {
  static constexpr std::string_view kName = "reduce_scatter";
  Combine kind{};
  DimList dims;
  AxisId axis;
  Summing how{};

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("combine", self.kind);
    f("dims", self.dims);
    f("axis", self.axis);
    f("by_library", self.how.by_library);
    f("async", self.how.async);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = bucket(c, dims.size()); !error.empty()) return error;
    if (!can_combine(c.in[0].tensor.dtype, kind)) return "a sum of bool";
    const Sharding& x = c.in[0].sharding;
    if (std::find(x.partial.begin(), x.partial.end(), axis) == x.partial.end() || x.combine != kind)
      return "the operand is not partial over this axis";
    for (std::size_t i = 0; i < c.in.size(); ++i)
      if (std::string error = moves(c, i, Shard{dims[i], axis}); !error.empty()) return error;
    return "";
  }
  PartialResult partial(const ShardTypes& in, bool) const {
    PartialAxes rest = partial_of_type(in[0]);
    std::erase(rest.axes, axis);
    return rest;
  }
  std::vector<AxisId> along() const { return {axis}; }
  const ShardTypes& traffic(const InstrContext& c) const { return c.in; }

  friend bool operator==(const ReduceScatter&, const ReduceScatter&) = default;
};

}  // namespace mtfc
