// Nesting is counted on the tokens, so that no text can make the parser recurse too deep.
#pragma once
#include "frontend/syntax/tokens.h"
#include "messages/diagnostic.h"

namespace mtfc::syntax {

/// False, with a diagnostic, at more than `max_nesting` levels of brackets and `if ... then`.
/// What nests in the tree, but not in the parser (prefix operators, `^`, `else if`), the builder
/// counts.
bool check_nesting(const Tokens& tokens, Diagnostics& diagnostics);

}  // namespace mtfc::syntax
