// What a graph says of the programs that it becomes.
#pragma once
#include "ir/model.h"

namespace mtfc::lowering {

/// The loss named "loss"; not valid if there is none.
ValueId loss_of(const Graph& graph);
/// Names of the values that nothing uses: what a model without a loss computes.
std::vector<std::string> unused_names(const Graph& graph);

}  // namespace mtfc::lowering
