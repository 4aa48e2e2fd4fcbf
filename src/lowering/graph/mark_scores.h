// Attention's scores in pipelines.
#pragma once
#include <cstddef>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

/// The products of examples with examples, by their number in the graph, that are much larger than
/// either factor on one processor (large_scores.h) and not computed again anyway. Without a
/// pipeline, or where `set attention=stored` asks for it, none.
std::vector<std::size_t> large_scores(const Graph& graph, const DimTable& dims,
                                      const Assignment& assignment);

/// Before differentiation: these, and what is made of each until a product sums it up, get a
/// tag as if they stood in `recompute { }`. Without a pipeline passes over programs do that
/// (rematerialize-products); a stage's forward and backward pass are programs of their own, and
/// what one leaves for the other is held for each micro-batch in flight.
void mark_scores(Model& model, const Assignment& assignment);

}  // namespace mtfc::lowering
