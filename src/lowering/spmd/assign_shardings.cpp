#include <algorithm>

#include "layout/assign.h"
#include "layout/resolve_graph.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {

namespace {

/// What is added to a variable that is kept on shards is made so: summed and cut before it is cast.
void cut_amounts(const Graph& graph, const Module& module, const Assignment& assignment,
                 std::vector<Sharding>& table) {
  for (const Output& output : graph.outputs) {
    if (output.kind != Output::Kind::accumulate || !assignment.kept.contains(output.name)) continue;
    const auto variable =
        std::find_if(module.variables.begin(), module.variables.end(),
                     [&](const ModuleVariable& v) { return v.path == output.name; });
    table[output.value.at()] = in_order(variable->type, graph.at(output.value).type.dims).sharding;
  }
}

}  // namespace

void assign_shardings(State& s) {
  Module& module = s.made.module;
  module.model_path = s.model.path;
  module.mesh = s.assignment.mesh;
  for (const Variable& v : s.model.variables) {
    module.variables.push_back(
        {v.path, {v.type, sharding_of(v.path, v.type.dims, s.assignment)}, v.kind});
  }
  for (const Input& input : s.model.inputs) {
    module.inputs.push_back({input.name,
                             {input.type, sharding_of(input.type.dims, s.assignment)},
                             input.source,
                             input.field});
  }
  for (const Graph& graph : s.made.graphs) {
    s.made.shardings.push_back(assign(graph, s.assignment));
    cut_amounts(graph, module, s.assignment, s.made.shardings.back());
  }
}

}  // namespace mtfc::lowering
