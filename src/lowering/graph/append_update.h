// The weight update as graph operations.
#pragma once
#include <vector>

#include "ir/model.h"
#include "lowering/graph/trained.h"

namespace mtfc::lowering {

/// Appends the whole update to `graph`: clipping, one formula per parameter (src/optim), new
/// variables for the optimiser's states (their values before the first step in model.init), reports
/// "lr" and "grad_norm". What it appends has the role `update`, with the parameter's path where it
/// belongs to one.
UpdateTable add_update(Model& model, Graph& graph, const std::vector<Trained>& trained);

}  // namespace mtfc::lowering
