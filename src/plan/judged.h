// What a search has found so far.
#pragma once
#include <optional>

#include "plan/search.h"

namespace mtfc::plan {

/// Adds a layout with its price, under which what was open of it is decided; of those that are
/// compiled whole and take `memory` bytes at most the fastest is the plan's best.
void keep(Plan& plan, const Choice& choice, Price price, double memory);

/// Takes out the layout of this choice that is known from few iterations. Nothing: there is none.
std::optional<Price> take_from_few(Plan& plan, const Choice& choice);

}  // namespace mtfc::plan
