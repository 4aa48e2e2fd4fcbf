// The size of all gradients together.
#pragma once
#include <vector>

#include "ir/model.h"
#include "lowering/graph/trained.h"
#include "ops/builder.h"
#include "optim/term.h"

namespace mtfc::lowering {

/// Gradients and parameters that are declared half are computed with in f32.
ValueId wide(ops::Builder& build, ValueId x);

/// Of the gradients as differentiation gives them, at least one: the squares of all their elements,
/// added up. Not a number or infinite if one of them is, or if it is more than the type holds.
optim::Term sum_of_squares(ops::Builder& build, const std::vector<Trained>& trained);

}  // namespace mtfc::lowering
