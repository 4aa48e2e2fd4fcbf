// How the language calls an operation: `name(operands, argument=value over dims -> dims)`. It
// stands in the operation's row (OpDef::call); the frontend checks calls against it and builds the
// operation from it, so that an operation with a usual form needs nothing there.
#pragma once
#include <string_view>
#include <vector>

#include "ir/attrs.h"

namespace mtfc::ops {

struct CallForm {
  /// What operands may be. `anything`: every type, bool included. `numbers`: tensors of ints and
  /// floats as they are. `floats`: an int tensor is an error. A static number becomes a float in
  /// the last two.
  enum class Takes { anything, numbers, floats };
  enum class List { none, optional, required };
  /// A named argument, known before the run: it becomes the attribute of the same name.
  struct Argument {
    std::string_view name;
    AttrValue otherwise;  // the default; a bool, an integer or a double says what it takes
  };

  Takes takes = Takes::floats;
  int min_operands = 1, max_operands = 1;  // positional; -1: any number. They meet in one type.
  std::vector<Argument> arguments;

  /// `over`: dimensions of the first operand. `->`: what the result has in their stead; where both
  /// lists are optional the operation reduces: either list says what remains, neither: nothing.
  List over = List::none, to = List::none;
  /// The attributes that get the lists; of a reduction `over_attr` gets what is reduced. Empty: the
  /// list is checked only.
  std::string_view over_attr, to_attr;
  bool single = false;  // each list has one dimension
  bool sums = false;    // adds elements up: bools count as ints, f16 and bf16 are widened to f32
};

}  // namespace mtfc::ops
