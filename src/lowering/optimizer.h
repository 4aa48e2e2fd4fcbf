// The weight update as graph operations.
#pragma once
#include <vector>

#include "ir/model.h"
#include "ops/builder.h"

namespace mtfc::lowering {

/// The learning rate at the current step, an f64 scalar of the graph. `schedule` is a number or a
/// call of docs/optimizers.md.
ValueId learning_rate(ops::Builder& build, const SettingCall::Value& schedule, std::int64_t steps);

/// Everything that one optimiser's formulas need for one parameter.
struct UpdateInputs {
  ValueId parameter, gradient;
  ValueId rate;  // f64 scalar, this parameter's own
  double decay = 0;
};

/// Appends the whole update to model.train: clipping, one formula per parameter, new variables for
/// the optimiser's state (zero in model.init), reports "lr" and "grad_norm".
/// `parameters` are indices into model.variables; `gradients` stand beside them (invalid: skipped).
void add_update(Model& model, const std::vector<std::size_t>& parameters,
                const std::vector<ValueId>& values, const std::vector<ValueId>& gradients);

}  // namespace mtfc::lowering
