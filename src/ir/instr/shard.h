// From replicated to split, without a message.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Each processor keeps its own block of `dim` along `axis`: a local slice, no message.
struct Shard {
  static constexpr std::string_view kName = "shard";
  DimId dim;
  AxisId axis;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("axis", self.axis);
  }

  std::string check(const InstrContext& c) const { return moves(c, *this); }
  PartialResult partial(const ShardTypes& in, bool) const { return partial_as_first(in); }
  Sharding after(const DimList& dims, Sharding sharding) const {
    take_axes(dims, sharding, dim, {axis});
    return sharding;
  }

  friend bool operator==(const Shard&, const Shard&) = default;
};

}  // namespace mtfc
