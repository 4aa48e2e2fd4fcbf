// Reverse-mode gradients on the global Graph. Collectives have no gradients: they come later.
#pragma once
#include <vector>

#include "ops/builder.h"

namespace mtfc::lowering {

/// Where a backward pass starts: a value, and the gradient of what is differentiated with respect
/// to it, of the same type.
struct Seed {
  ValueId value, gradient;
};

/// Appends the gradient with respect to each of `wanted` to the builder's graph. Invalid where no
/// gradient reaches. Operations without a gradient rule pass none. Composites without a gradient of
/// their own must have been expanded. What stands in a `recompute` is computed again on the way
/// (remake.h); `recompute_parents` is the Model's.
std::vector<ValueId> differentiate(ops::Builder& build, const std::vector<Seed>& seeds,
                                   const std::vector<ValueId>& wanted,
                                   const std::vector<int>& recompute_parents);
/// Of the scalar `of`.
std::vector<ValueId> differentiate(ops::Builder& build, ValueId of,
                                   const std::vector<ValueId>& wanted,
                                   const std::vector<int>& recompute_parents);

/// By value of the graph: whether a gradient with respect to one of `wanted` can flow through it.
std::vector<bool> active_values(const Graph& graph, const std::vector<ValueId>& wanted);

}  // namespace mtfc::lowering
