// A training step on micro-batches: programs that run on each part, and one that ends the step.
#pragma once
#include "lowering/graph/append_update.h"

namespace mtfc::lowering {

struct StepInParts {
  Graph measure;     // on each part, first: totals that gradients need. No outputs: not needed
  Graph seed;        // once, then: the gradients of totals that depend on those. No outputs: none
  Graph accumulate;  // on each part: gradients and totals
  Graph apply;       // once: losses and states from totals; the update is still to be added
  std::vector<Variable> accumulators;
  std::vector<Trained> trained;  // values of `apply`
};

/// What `apply` gives beside losses, as tensors in global form.
struct Shown {
  bool values = false;  // every named value of the training graph
  bool gradients = false;
};

/// Cuts Model::parts at its totals (docs/memory.md) and differentiates.
StepInParts step_in_parts(const Model& model, Shown shown);

}  // namespace mtfc::lowering
