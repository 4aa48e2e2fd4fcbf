// Sums, maxima and minima over dimensions.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

struct Reduce {
  static constexpr std::string_view kName = "reduce";
  Combine kind{};
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("combine", self.kind);
    f("reduced", self.reduced);
  }
  friend bool operator==(const Reduce&, const Reduce&) = default;
};

}  // namespace mtfc
