#include "lowering/spmd/shard_update.h"

#include <algorithm>
#include <map>

#include "layout/assign.h"
#include "layout/partial_sums.h"
#include "lowering/spmd/pad_update.h"
#include "lowering/state/passes.h"
#include "ops/inputs.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

/// True if the type has one of the dimensions.
bool add(const UpdateShare& share, ShardType& type) {
  bool any = false;
  for (const auto& [dim, axes] : share.kept) {
    if (!contains(type.tensor.dims, dim)) continue;
    type.sharding.split[static_cast<std::size_t>(position(type.tensor.dims, dim))] = axes;
    any = true;
  }
  for (const auto& [dim, axis] : share.splits) {
    if (!contains(type.tensor.dims, dim)) continue;
    auto& split = type.sharding.split[static_cast<std::size_t>(position(type.tensor.dims, dim))];
    if (std::find(split.begin(), split.end(), axis) == split.end()) split.push_back(axis);
    any = true;
  }
  return any;
}

void shard(const Graph& graph, const UpdateShare& share, const Assignment& assignment,
           std::vector<Sharding>& table, std::vector<ModuleVariable>& variables) {
  std::map<std::string, const Sharding*> states;
  for (ModuleVariable& variable : variables) {
    if (!share.states.contains(variable.path)) continue;
    add(share, variable.type);
    states[variable.path] = &variable.type.sharding;
  }
  std::set<ValueId> on_shards = {share.gradient};
  for (const Operation& op : graph.ops) {
    if (const std::string* read = ops::variable_read(op); read && states.contains(*read)) {
      table[op.results[0].at()] = *states[*read];
      continue;
    }
    if (!belongs(op, share, on_shards)) continue;
    for (ValueId result : op.results) {
      // Not as scopes split it: a gradient is sharded as its parameter is.
      ShardType type{graph.at(result).type, table[result.at()]};
      if (!op.role.scopes.empty()) type.sharding = sharding_of(type.tensor.dims, assignment);
      if (!add(share, type)) continue;
      table[result.at()] = type.sharding;
      on_shards.insert(result);
    }
  }
}

}  // namespace

void use_shares(const Graph& graph, const std::vector<UpdateShare>& shares,
                const Assignment& assignment, std::vector<Sharding>& table,
                std::vector<ModuleVariable>& variables) {
  for (const UpdateShare& share : shares) shard(graph, share, assignment, table, variables);
}

namespace {

/// Sums over micro-batches that stay partial: the update's gradients are partial where it reads
/// them.
void find_accumulated_sums(State& s, VariableTable& variables) {
  for (std::size_t i = 0; i < s.made.graphs.size(); ++i) {
    const Graph& graph = s.made.graphs[i];
    std::vector<PartialSum> partial;
    for (const Output& output : graph.outputs) {
      if (output.kind != Output::Kind::accumulate) continue;
      if (partial.empty())
        partial =
            find_partial_sums(graph, {s.model.dims, s.assignment, s.made.shardings[i], variables});
      const PartialSum& sum = partial[output.value.at()];
      if (!sum.stays) continue;
      Sharding& sharding = variables.at(output.name).type.sharding;
      sharding.partial = sum.made.axes;
      sharding.combine = sum.made.combine;
    }
  }
}

/// The graph with the update, padded where necessary, and how its values are split.
void shard(State& s, std::size_t number, VariableTable& variables) {
  Graph& graph = s.made.graphs[number];
  std::vector<Sharding>& table = s.made.shardings[number];
  std::vector<UpdateShare> shares = share_out_update(
      graph, {s.model.dims, s.assignment, table, variables}, s.options.shard_update);
  if (std::any_of(shares.begin(), shares.end(),
                  [](const UpdateShare& share) { return !share.padded.empty(); })) {
    graph = pad_update(graph, shares, s.model.dims, s.assignment, s.made.module.variables);
    table = assign(graph, s.assignment);
  }
  use_shares(graph, shares, s.assignment, table, s.made.module.variables);
}

}  // namespace

void shard_update(State& s) {
  if (!s.options.shard_update && s.assignment.kept.empty()) return;
  VariableTable variables(s.made.module.variables);
  find_accumulated_sums(s, variables);
  for (std::size_t i = 0; i < s.made.graphs.size(); ++i)
    if (!s.made.graphs[i].updates.empty()) shard(s, i, variables);
  for (std::size_t i = 0; i < s.made.graphs.size(); ++i) {
    Graph& graph = s.made.graphs[i];
    if (graph.name != program_names::init) continue;
    graph = pad_first_values(graph, s.model.dims, s.made.module.variables);
    s.made.shardings[i] = assign(graph, s.assignment);
  }
}

}  // namespace mtfc::lowering
