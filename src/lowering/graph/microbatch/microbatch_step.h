// A training step on micro-batches: programs that run on each micro-batch, and one that ends the
// step.
#pragma once
#include <map>
#include <string>

#include "lowering/graph/append_update.h"

namespace mtfc::lowering {

struct MicrobatchStep {
  Graph measure;  // on each micro-batch, first: totals that gradients need. No outputs: not needed
  Graph seed;     // once, then: the gradients of totals that depend on those. No outputs: none
  Graph accumulate;  // on each micro-batch: gradients and totals
  Graph apply;       // once: losses and states from totals; the update is still to be added
  std::vector<Variable> accumulators;
  std::map<std::string, std::size_t> gradients;  // those of gradients: the parameter's number
  std::vector<Trained> trained;                  // values of `apply`
};

/// What `apply` gives beside losses, as tensors in global form.
struct Shown {
  bool values = false;  // every named value of the training graph
  bool gradients = false;
};

/// Cuts Model::microbatch at its totals (docs/memory.md) and differentiates.
MicrobatchStep microbatch_step(const Model& model, Shown shown);

}  // namespace mtfc::lowering
