// The sharded weight update (Xu et al., arXiv 2004.13336): what replicas would all compute alike is
// shared out among them. Each parameter's gradient is reduce-scattered over the axes that its sum
// runs over, the optimiser's state and its work live on the shards, and the new parameter is
// gathered. Only tables change: of values in the training graph, and of optimiser states.
#pragma once
#include <vector>

#include "ir/module.h"
#include "lowering/spmd/update_shares.h"

namespace mtfc::lowering {

/// Edits `table`, the shardings of `graph`'s values (the graph with the update), and the types of
/// optimiser states among `variables`. The axes must divide what the shares cut (pad_update.h).
void use_shares(const Graph& graph, const std::vector<UpdateShare>& shares,
                const Assignment& assignment, std::vector<Sharding>& table,
                std::vector<ModuleVariable>& variables);

}  // namespace mtfc::lowering
