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
  friend bool operator==(const Permute&, const Permute&) = default;
};

}  // namespace mtfc
