// What the left side of a rule is, if it is no dimension that tensors have.
#pragma once
#include <string>

#include "ir/model.h"

namespace mtfc::lowering {

/// A help that says so, and what to write: of a parameter, an input, or the counter of a `repeat`.
/// Empty if the model has nothing of that name.
std::string other_meaning(const std::string& name, const Model& model);

}  // namespace mtfc::lowering
