#include <map>
#include <optional>

#include "layout/assign.h"
#include "layout/resolve_graph.h"
#include "lowering/state/passes.h"
#include "ops/inputs.h"

namespace mtfc::lowering {

namespace {

/// What is added or written to an accumulator that is kept on shards is made so: summed and cut, or
/// cut, before it is cast.
void cut_amounts(const Graph& graph, const VariableTable& variables, const Assignment& assignment,
                 std::vector<Sharding>& table) {
  for (const Output& output : graph.outputs) {
    if (!assignment.kept.contains(output.name)) continue;
    const ModuleVariable& variable = variables.at(output.name);
    if (variable.kind != Variable::Kind::accumulator) continue;
    const DimList& dims = graph.at(output.value).type.dims;
    table[output.value.at()] = in_order(variable.type, dims).sharding;
  }
}

/// In the graph, if it has either: the value that is written to the variable, or read from it.
std::optional<ValueId> value_of(const Graph& graph, const std::string& variable, bool written) {
  if (!written) {
    for (const Operation& op : graph.ops)
      if (const std::string* read = ops::variable_read(op); read && *read == variable)
        return op.results[0];
    return std::nullopt;
  }
  for (const Output& output : graph.outputs)
    if (output.name == variable) return output.value;
  return std::nullopt;
}

/// What crosses from stage to stage is kept as it is split where it is made; of stages that are
/// lowered one by one, in the others as it is where it is read.
void keep_crossings(State& s) {
  std::map<std::string, std::size_t> graphs;
  for (std::size_t i = 0; i < s.made.graphs.size(); ++i) graphs[s.made.graphs[i].name] = i;
  VariableTable variables(s.made.module.variables);
  const auto keep = [&](const Crossing& crossing, int part) {
    const auto found = graphs.find(s.cut.parts[static_cast<std::size_t>(part)].name);
    if (found == graphs.end()) return false;
    const std::size_t at = found->second;
    const auto value = value_of(s.made.graphs[at], crossing.variable, part == crossing.from);
    if (value) variables.at(crossing.variable).type.sharding = s.made.shardings[at][value->at()];
    return value.has_value();
  };
  for (const Crossing& crossing : s.cut.crossings)
    if (!keep(crossing, crossing.from))
      for (const int part : crossing.to)
        if (keep(crossing, part)) break;
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
