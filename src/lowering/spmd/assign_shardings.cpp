#include "layout/assign.h"
#include "layout/resolve_graph.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {

namespace {

/// What is added to a variable that is kept on shards is made so: summed and cut before it is cast.
void cut_amounts(const Graph& graph, const VariableTable& variables, const Assignment& assignment,
                 std::vector<Sharding>& table) {
  for (const Output& output : graph.outputs) {
    if (output.kind != Output::Kind::accumulate || !assignment.kept.contains(output.name)) continue;
    const DimList& dims = graph.at(output.value).type.dims;
    table[output.value.at()] = in_order(variables.at(output.name).type, dims).sharding;
  }
}

/// What crosses from stage to stage is kept as it is split where it is made.
void keep_crossings(State& s) {
  VariableTable variables(s.made.module.variables);
  for (const Crossing& crossing : s.cut.crossings) {
    const auto from = static_cast<std::size_t>(crossing.from);
    ShardType& type = variables.at(crossing.variable).type;
    for (const Output& output : s.made.graphs[from].outputs)
      if (output.name == crossing.variable)
        type.sharding = s.made.shardings[from][output.value.at()];
  }
}

}  // namespace

void assign_shardings(State& s) {
  Module& module = s.made.module;
  module.model_path = s.model.path;
  module.mesh = s.assignment.mesh;
  module.variables = assign(s.model.variables, s.assignment);
  for (const Input& input : s.model.inputs) {
    module.inputs.push_back({input.name,
                             {input.type, sharding_of(input.type.dims, s.assignment)},
                             input.source,
                             input.field});
  }
  const VariableTable variables(module.variables);
  for (const Graph& graph : s.made.graphs) {
    s.made.shardings.push_back(assign(graph, s.assignment));
    cut_amounts(graph, variables, s.assignment, s.made.shardings.back());
  }
  keep_crossings(s);
}

}  // namespace mtfc::lowering
