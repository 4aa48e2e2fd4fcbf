// The weight update as graph operations.
#pragma once
#include <vector>

#include "ir/model.h"

namespace mtfc::lowering {

/// A parameter that a gradient reaches; values of the graph that ends the step.
struct Trained {
  std::size_t variable = 0;  // index into Model::variables
  ValueId before;            // the parameter's value before the step
  ValueId differentiated;    // as differentiation gives it: the gradient of the scaled loss
  ValueId gradient;          // of the loss itself
};

/// Appends the whole update to `graph`: clipping, one formula per parameter (src/optim), new
/// variables for the optimiser's states (their values before the first step in model.init), reports
/// "lr" and "grad_norm". What it appends has the role `update`, with the parameter's path where it
/// belongs to one.
UpdateTable add_update(Model& model, Graph& graph, const std::vector<Trained>& trained);

}  // namespace mtfc::lowering
