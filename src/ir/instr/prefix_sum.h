// Running sums.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Sums along `dim`, which is whole, up to each place; `exclusive`: without the place itself;
/// `reverse`: from the end.
struct PrefixSum {
  static constexpr std::string_view kName = "prefix_sum";
  DimId dim;
  bool exclusive = false, reverse = false;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("exclusive", self.exclusive);
    f("reverse", self.reverse);
  }
  friend bool operator==(const PrefixSum&, const PrefixSum&) = default;
};

}  // namespace mtfc
