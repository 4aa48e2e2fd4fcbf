// Indexing by tensors, and its adjoint.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Operands x, index...: index number j replaces dimension dims[j]. Out of range gives `fill`. If
/// an indexed dimension is split, the result is partial.
struct Gather {
  static constexpr std::string_view kName = "gather";
  DimList dims;
  double fill = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dims", self.dims);
    f("fill", self.fill);
  }
  friend bool operator==(const Gather&, const Gather&) = default;
};
/// Operands y, index...: the adjoint of Gather; the result has `dims`, and lacks `reduced` (the
/// dimensions of y that the index tensors brought). Sums over equal places.
struct ScatterAdd {
  static constexpr std::string_view kName = "scatter_add";
  DimList dims;
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dims", self.dims);
    f("reduced", self.reduced);
  }
  friend bool operator==(const ScatterAdd&, const ScatterAdd&) = default;
};

}  // namespace mtfc
