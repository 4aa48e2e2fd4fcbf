// A syntax tree as text, without places: what two texts of one meaning have in common.
#pragma once
#include <string>

#include "frontend/syntax/ast.h"

namespace mtfc::lab {

/// Every statement on a line of its own, expressions fully parenthesised.
std::string show(const ast::File& file);

}  // namespace mtfc::lab
