// Loss scaling as operations of the training graph (docs/precision.md): around the differentiation,
// and around the update.
#pragma once
#include "ir/model.h"
#include "ops/builder.h"

namespace mtfc::lowering {

/// The loss times the scale: what is differentiated. The loss itself if there is no scaling.
ValueId scaled_loss(Model& model, ValueId loss);

/// Divides complete gradients by the scale. Invalid ones are left.
void unscale(Model& model, std::vector<ValueId>& gradients);

/// Under a dynamic scale, after the update has been added: where a gradient (unscaled) is not
/// finite every variable keeps its value. Adds the scale's own variables.
void skip_bad_steps(Model& model, const std::vector<ValueId>& gradients);

}  // namespace mtfc::lowering
