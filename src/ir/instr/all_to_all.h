// A mesh axis from one dimension to another.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// dim `from` gives up `axis`, dim `to` takes it (minor-most both).
struct AllToAll {
  static constexpr std::string_view kName = "all_to_all";
  DimId from, to;
  AxisId axis;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("from", self.from);
    f("to", self.to);
    f("axis", self.axis);
  }

  std::string check(const InstrContext& c) const {
    return from == to ? "an exchange within one dimension" : moves(c, *this);
  }
  PartialResult partial(const ShardTypes& in, bool) const { return partial_as_first(in); }
  Sharding after(const DimList& dims, Sharding sharding) const {
    if (give_axes(dims, sharding, from, {axis})) take_axes(dims, sharding, to, {axis});
    return sharding;
  }
  std::vector<AxisId> along() const { return {axis}; }
  const ShardTypes& traffic(const InstrContext& c) const { return c.in; }

  friend bool operator==(const AllToAll&, const AllToAll&) = default;
};

}  // namespace mtfc
