// The sharded weight update (Xu et al., arXiv 2004.13336): what replicas would all compute alike is
// shared out among them. Each parameter's gradient is reduce-scattered over the axes that its sum
// runs over, the optimiser's state and its work live on the shards, and the new parameter is
// gathered. Only tables change: of values in the training graph, and of optimiser states.
#pragma once
#include <vector>

#include "ir/module.h"
#include "lowering/lower_graph.h"

namespace mtfc::lowering {

/// Edits `table`, the shardings of `graph`'s values (the graph with the update, `context.table`
/// before the edit), and the types of optimiser states among `variables`. A dimension whose size
/// the axes do not divide is not split; a parameter without another one is updated by every replica,
/// as without.
void shard_update(const Graph& graph, const LowerContext& context, std::vector<Sharding>& table,
                  std::vector<ModuleVariable>& variables);

}  // namespace mtfc::lowering
