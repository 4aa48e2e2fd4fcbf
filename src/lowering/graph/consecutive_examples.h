// Along which dimensions of a graph examples come one after the other.
#pragma once
#include <map>

#include "ir/model.h"

namespace mtfc::lowering {

/// By such a dimension, how many positions along it each example has: one along `examples`, and as
/// many as stand beside it where a view merges it with minor dimensions, or splits it off again.
/// Empty without a dimension.
std::map<DimId, std::int64_t> consecutive_examples(DimId examples, const Graph& graph,
                                                   const DimTable& dims);

/// The dimension of the examples that the evaluation's graph takes at once: the first of the first
/// input, or its alias where these are parts of a batch (Model::evaluation). Not valid: there is
/// none.
DimId evaluated_examples(const Model& model);

}  // namespace mtfc::lowering
