// Tensors one after the other.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// The operands one after the other along `dim`. Operand i has parts[i] in its place; without
/// `parts` every operand is one element of `dim`. All of them are whole.
struct Concat {
  static constexpr std::string_view kName = "concat";
  DimList parts;
  DimId dim;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("parts", self.parts);
    f("dim", self.dim);
  }
  friend bool operator==(const Concat&, const Concat&) = default;
};

}  // namespace mtfc
