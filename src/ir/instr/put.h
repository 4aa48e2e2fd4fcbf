// One entry of a tensor replaced, at a position known when the program runs.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Operands y, x, position (an i32 scalar): y with the entry x at `position` along `dim`. x has
/// `entry`, of size 1, instead of `dim`. Outside the dimension nothing is put. If dim is split,
/// only the owner of the position changes anything.
struct Put {
  static constexpr std::string_view kName = "put";
  DimId dim, entry;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("entry", self.entry);
  }
  friend bool operator==(const Put&, const Put&) = default;
};

}  // namespace mtfc
