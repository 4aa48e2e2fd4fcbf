// Mesh axes exchanged for others that cut as finely.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Dimensions exchange their minor-most axes for others, which cut them into as many blocks: each
/// processor receives one whole block. `to` may hold axes along which the value was replicated,
/// those that other dimensions give up, and the same ones in another order.
struct Permute {
  static constexpr std::string_view kName = "permute";
  struct Change {
    DimId dim;
    std::vector<AxisId> from, to;  // major to minor

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("dim", self.dim);
      f("from", self.from);
      f("to", self.to);
    }
    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("changes", self.changes);
  }

  std::string check(const InstrContext& c) const {
    if (std::string error = moves(c, *this); !error.empty()) return error;
    for (std::size_t i = 0; i < c.in[0].sharding.split.size(); ++i)
      if (shard_count(c.mesh, c.in[0].sharding, i) != shard_count(c.mesh, c.out[0].sharding, i))
        return "a permutation cuts a dimension into more or fewer blocks";
    return "";
  }
  PartialResult partial(const ShardTypes& in, bool) const { return partial_as_first(in); }
  Sharding after(const DimList& dims, Sharding sharding) const {
    for (const Change& change : changes)
      if (give_axes(dims, sharding, change.dim, change.from))
        take_axes(dims, sharding, change.dim, change.to);
    return sharding;
  }
  std::vector<AxisId> along() const {
    std::vector<AxisId> all;
    for (const Change& change : changes) {
      add_axes(all, change.from);
      add_axes(all, change.to);
    }
    return all;
  }
  const ShardTypes& traffic(const InstrContext& c) const { return c.in; }

  friend bool operator==(const Permute&, const Permute&) = default;
};

}  // namespace mtfc
