// From split to replicated.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// dims[i] of operand i gives up `axis`, its minor-most axis. Several operands: as ReduceScatter.
struct AllGather {
  static constexpr std::string_view kName = "all_gather";
  DimList dims;
  AxisId axis;
  bool async = false;  // started here; its results are complete after their wait

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dims", self.dims);
    f("axis", self.axis);
    f("async", self.async);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = bucket(c, dims.size()); !error.empty()) return error;
    for (std::size_t i = 0; i < c.in.size(); ++i)
      if (std::string error = moves(c, i, AllGather{{dims[i]}, axis}); !error.empty()) return error;
    return "";
  }
  PartialResult partial(const ShardTypes& in, bool) const { return partial_as_first(in); }
  /// Of one tensor.
  Sharding after(const DimList& all, Sharding sharding) const {
    give_axes(all, sharding, dims[0], {axis});
    return sharding;
  }
  std::vector<AxisId> along() const { return {axis}; }
  /// What arrives.
  const ShardTypes& traffic(const InstrContext& c) const { return c.out; }

  friend bool operator==(const AllGather&, const AllGather&) = default;
};

}  // namespace mtfc
