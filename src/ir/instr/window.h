// Reading at affine indices, and its adjoint.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// x with each item's dimension read at an affine place; outside of the dimension: `fill`. The
/// result has the items' dimensions in place of the indexed ones, which are whole in x.
struct Window {
  static constexpr std::string_view kName = "window";
  std::vector<WindowItem> items;
  double fill = 0;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("items", self.items);
    f("fill", self.fill);
  }
  friend bool operator==(const Window&, const Window&) = default;
};
/// The adjoint of Window: sums of y over equal places. The result has the indexed dimensions,
/// whole, and lacks `reduced` (the items' dimensions that y has and the result has not, or has
/// indexed).
struct WindowAdd {
  static constexpr std::string_view kName = "window_add";
  std::vector<WindowItem> items;
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("items", self.items);
    f("reduced", self.reduced);
  }
  friend bool operator==(const WindowAdd&, const WindowAdd&) = default;
};

}  // namespace mtfc
