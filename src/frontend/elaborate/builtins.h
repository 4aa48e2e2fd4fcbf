// The built-in operations: how each is called.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

enum class ListUse { none, optional, required };

struct Builtin {
  std::string_view name;
  int min_args, max_args;  // positional; -1: any number
  std::vector<std::string_view> named;
  ListUse over, to;
  Val (Elaborator::*handler)(const CallSite&);
};

const Builtin* find_builtin(std::string_view name);
/// Draws and initialisers: they stand after `~` only.
bool is_draw(std::string_view name);
std::vector<std::string> builtin_names();

/// Elementwise functions of one operand.
struct ElementwiseRow {
  std::string_view name;
  bool ints;     // takes ints too
  bool statics;  // a static operand gives a static value
};
const ElementwiseRow* find_elementwise(std::string_view name);

}  // namespace mtfc::elab
