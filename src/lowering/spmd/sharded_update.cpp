#include "lowering/spmd/sharded_update.h"
#include "ops/inputs.h"

#include <algorithm>
#include <map>

namespace mtfc::lowering {

namespace {

/// True if the type has one of the dimensions.
bool add(const UpdateShare& share, ShardType& type) {
  bool any = false;
  for (const auto& [dim, axis] : share.splits) {
    if (!contains(type.tensor.dims, dim)) continue;
    auto& split = type.sharding.split[static_cast<std::size_t>(position(type.tensor.dims, dim))];
    if (std::find(split.begin(), split.end(), axis) == split.end()) split.push_back(axis);
    any = true;
  }
  return any;
}

void shard(const Graph& graph, const UpdateShare& share, std::vector<Sharding>& table,
           std::vector<ModuleVariable>& variables) {
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
      ShardType type{graph.at(result).type, table[result.at()]};
      if (!add(share, type)) continue;
      table[result.at()] = type.sharding;
      on_shards.insert(result);
    }
  }
}

}  // namespace

void shard_update(const Graph& graph, const std::vector<UpdateShare>& shares,
                  std::vector<Sharding>& table, std::vector<ModuleVariable>& variables) {
  for (const UpdateShare& share : shares) shard(graph, share, table, variables);
}

}  // namespace mtfc::lowering
