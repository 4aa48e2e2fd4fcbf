// Padding of what the sharded update cannot cut into equal parts: a graph in, a graph out.
#pragma once
#include <vector>

#include "ir/module.h"
#include "lowering/spmd/update_shares.h"

namespace mtfc::lowering {

/// Rewrites the operations of the shares that need padding: gradients and parameters get zeros at
/// the end of the padded dimensions, the update runs on them, and the new parameter is cut to its
/// size. Reductions leave the padding out. Optimiser states become padded (Dim::pads), in
/// `variables` and in `graph`; `dims` and the assignment grow. Shares are changed to fit the
/// result.
Graph pad_update(const Graph& graph, std::vector<UpdateShare>& shares, DimTable& dims,
                 Assignment& assignment, std::vector<ModuleVariable>& variables);

/// The graph that gives states their first values, for variables that have been padded.
Graph pad_first_values(const Graph& graph, const DimTable& dims,
                       const std::vector<ModuleVariable>& variables);

}  // namespace mtfc::lowering
