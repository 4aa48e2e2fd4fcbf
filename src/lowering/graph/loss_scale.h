// Loss scaling as operations of the training graph (docs/precision.md): around the differentiation,
// and around the update.
#pragma once
#include "ir/model.h"
#include "ops/builder.h"

namespace mtfc::lowering {

/// The gradient that the backward pass starts from at the loss: the scale, 1 if there is none. As
/// if the loss had been multiplied by it.
ValueId loss_seed(const Model& model, ops::Builder& build, ValueId loss);

/// A complete gradient divided by the scale.
ValueId unscaled(const Model& model, ops::Builder& build, ValueId gradient);

/// Under a dynamic scale, after the update has been added: where a gradient (unscaled) is not
/// finite every variable keeps its value. Adds the scale's own variables.
void skip_bad_steps(Model& model, const std::vector<ValueId>& gradients);

}  // namespace mtfc::lowering
