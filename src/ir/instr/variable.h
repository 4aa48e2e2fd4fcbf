// Variables before and after the step.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// The value of a variable before the step.
struct Read {
  static constexpr std::string_view kName = "read";
  std::string variable;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("variable", self.variable);
  }
  friend bool operator==(const Read&, const Read&) = default;
};
/// Operand becomes the variable's value after the step.
struct Write {
  static constexpr std::string_view kName = "write";
  std::string variable;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("variable", self.variable);
  }
  friend bool operator==(const Write&, const Write&) = default;
};

}  // namespace mtfc
