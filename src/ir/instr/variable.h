// Variables before and after the step.
#pragma once
#include "ir/instr/rules.h"

namespace mtfc {

/// The value of a variable before the step.
struct Read {
  static constexpr std::string_view kName = "read";
  static constexpr bool kTypeOfVariable = true;  // which may be partial
  std::string variable;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("variable", self.variable);
  }

  std::string check(const InstrContext& c) const { return of_variable(c, variable, c.out); }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Read&, const Read&) = default;
};
/// Operand becomes the variable's value after the step.
struct Write {
  static constexpr std::string_view kName = "write";
  static constexpr bool kEdge = true;
  static constexpr bool kTypeOfVariable = true;  // which may be partial
  std::string variable;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("variable", self.variable);
  }

  std::string check(const InstrContext& c) const { return of_variable(c, variable, c.in); }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Write&, const Write&) = default;
};

}  // namespace mtfc
