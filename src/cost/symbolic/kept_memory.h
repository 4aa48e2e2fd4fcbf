// What a step keeps, by role, as formulas.
#pragma once
#include <vector>

#include "cost/cost.h"
#include "cost/symbolic/formula.h"
#include "cost/symbolic/size_symbols.h"

namespace mtfc::cost {

/// On one processor: variables, and what one phase makes for another (activations and gathered
/// parameters for the backward pass, gradients for the update), of the program of the step that
/// keeps the most. What is alive at once can be less or more: that depends on the order of
/// instructions and on sizes (cost/peak.h).
struct Kept {
  MemoryRole role{};
  Formula elements, bytes;
};

/// Roles that are there, in the order of all_memory_roles. `cost`: of this module.
std::vector<Kept> kept_of(const Module& module, const Cost& cost, const Symbols& symbols);

}  // namespace mtfc::cost
