// Evaluations: means over everything are pooled over all batches, with the padded tail left out.
#pragma once
#include "ir/model.h"

namespace mtfc::lowering {

/// The evaluation graph in three, and the accumulator variables that connect them.
struct Pooled {
  Graph begin;   // clears the accumulators
  Graph batch;   // one batch: numerators and denominators are added up
  Graph finish;  // the losses and metrics from them
  std::vector<Variable> accumulators;
};

/// Every `mean` of model.eval over everything of what depends on the batch, and that an output
/// needs by way of such means alone, becomes a pair of f64 accumulators. An output
/// that depends on a batch in another way is averaged over batches, weighted by their examples.
Pooled pool_means(const Model& model);

}  // namespace mtfc::lowering
