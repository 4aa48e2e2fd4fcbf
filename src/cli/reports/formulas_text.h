// The formulas of `cost --symbolic` for people.
#pragma once
#include <string>

#include "cost/symbolic/formulas.h"

namespace mtfc::cli {

/// Each count with its value at the sizes of the model and the formula below; collectives below the
/// rule behind them; what the names in formulas are.
std::string formulas_text(const cost::Formulas& formulas);
/// What grows fastest, without constants.
std::string leading_text(const cost::Formulas& formulas);

}  // namespace mtfc::cli
