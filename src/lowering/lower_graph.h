// Graph + table of shardings -> Program: local instructions, and collectives where they are needed.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/layout.h"
#include "ir/program.h"

namespace mtfc::lowering {

/// `graph` must be expanded and pruned. Variables are written in the storage order and the
/// sharding of their own type, which `variable_type` gives by path.
struct LowerContext {
  const DimTable& dims;
  const Placement& placement;
  const std::vector<Sharding>& table;  // by graph value
  std::function<const ShardType&(const std::string& path)> variable_type;
};
Program lower_graph(const Graph& graph, const LowerContext& context);

}  // namespace mtfc::lowering
