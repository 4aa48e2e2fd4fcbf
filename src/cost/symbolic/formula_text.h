// Formulas as text, which is also an expression of most languages: "10*batch/rows*io*hidden/cols".
#pragma once
#include <string>

#include "cost/symbolic/formula.h"
#include "cost/symbolic/size_symbols.h"

namespace mtfc::cost {

/// What all terms have in common stands before the rest: "io*(batch/rows + hidden/cols)".
std::string to_string(const Polynomial& sum, const Symbols& symbols);
/// "4*(24*batch*length*d_model^2 + ...) + 2*batch*length*d_model*vocab"
std::string to_string(const Formula& formula, const Symbols& symbols);

/// One JSON object: `text`, `value` at the sizes of the symbols, and `terms`, a list of
/// {coefficient, powers: {NAME: whole number}}.
std::string to_json(const Polynomial& sum, const Symbols& symbols);
/// The same of the total, and `parts`, a list of {times, blocks, each}, `each` as text.
std::string to_json(const Formula& formula, const Symbols& symbols);

}  // namespace mtfc::cost
