// Products summed over dimensions.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// Binary product summed over `reduced`. If a reduced dimension is split, the result is partial.
struct Contract {
  static constexpr std::string_view kName = "contract";
  DimList reduced;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("reduced", self.reduced);
  }
  friend bool operator==(const Contract&, const Contract&) = default;
};

}  // namespace mtfc
