// Graph + table of shardings -> Program: local instructions, and collectives where they are needed.
#pragma once
#include "ir/graph.h"
#include "layout/graph_context.h"

namespace mtfc::lowering {

/// `graph` must be expanded and pruned. Variables are written in the storage order and the
/// sharding of their own type.
Program lower_graph(const Graph& graph, const GraphContext& context);

}  // namespace mtfc::lowering
