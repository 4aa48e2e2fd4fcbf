// Evaluations: what combines examples of a batch other than in a pooled mean leaves out what pads
// it.
#pragma once
#include "lowering/graph/real_examples.h"
#include "lowering/graph/rewrite.h"

namespace mtfc::lowering {

/// The evaluation graph; if a composite operation works along examples, with composites expanded,
/// means excepted, so that parts can be masked one by one.
Graph expand_along_examples(const Model& model);

/// For each operation of the evaluation graph that combines examples, in the batch's graph one that
/// combines the real ones: sums and extrema get the neutral element in padding, means weight 0. Of
/// means over everything those alone that are `in_batch` (by value): others are pooled.
void mask_reductions(const Graph& eval, const std::vector<bool>& in_batch, ops::Builder& batch,
                     Copier& to_batch, RealExamples& real);

}  // namespace mtfc::lowering
