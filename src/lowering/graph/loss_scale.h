// Loss scaling as operations of the training graph (docs/precision.md): around the differentiation,
// and around the update.
#pragma once
#include <vector>

#include "ir/model.h"
#include "lowering/graph/trained.h"
#include "ops/builder.h"
#include "optim/term.h"

namespace mtfc::lowering {

/// Appends operations of the update.
ops::Builder update_builder(const Model& model, Graph& graph);

/// The gradient that the backward pass starts from at the loss: the scale, 1 if there is none. As
/// if the loss had been multiplied by it.
ValueId loss_seed(const Model& model, ops::Builder& build, ValueId loss);

/// A complete gradient divided by the scale: the first operation of the parameter's update.
ValueId unscaled(const Model& model, ops::Builder& build, ValueId gradient,
                 const std::string& parameter);
/// The norm of gradients, from that of the scaled loss's gradients.
optim::Term unscaled(const Model& model, ops::Builder& build, optim::Term norm);

/// Under a dynamic scale, after the update has been added to `graph`: where a gradient is not
/// finite every variable keeps its value. Adds the scale's own variables.
void skip_bad_steps(Model& model, Graph& graph, const std::vector<Trained>& trained,
                    const UpdateTable& updates);

}  // namespace mtfc::lowering
