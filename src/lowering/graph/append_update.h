// The weight update as graph operations.
#pragma once
#include <vector>

#include "ir/model.h"

namespace mtfc::lowering {

/// Appends the whole update to model.train: clipping, one formula per parameter (src/optim), new
/// variables for the optimiser's states (their values before the first step in model.init), reports
/// "lr" and "grad_norm".
/// `parameters` are indices into model.variables; `gradients` stand beside them (invalid: skipped).
void add_update(Model& model, const std::vector<std::size_t>& parameters,
                const std::vector<ValueId>& values, const std::vector<ValueId>& gradients);

}  // namespace mtfc::lowering
