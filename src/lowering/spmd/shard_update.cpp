#include "lowering/spmd/shard_update.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

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

/// Which shares an operation is part of (`belongs`), for many shares.
class ShareIndex {
 public:
  explicit ShareIndex(const std::vector<UpdateShare>& shares) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      of_parameter_[shares[i].path] = i;
      for (const std::string& state : shares[i].states) of_state_[state] = i;
      for (ValueId value : shares[i].above) above_[value] = i;
      if (shares[i].gradient.valid()) put_on_shards(shares[i].gradient, i);
    }
  }

  void put_on_shards(ValueId value, std::size_t share) { on_shards_[value].insert(share); }
  /// The share whose state a variable is.
  std::optional<std::size_t> of_state(const std::string& variable) const {
    const auto found = of_state_.find(variable);
    return found == of_state_.end() ? std::nullopt : std::optional(found->second);
  }
  std::set<std::size_t> shares_of(const Operation& op) const {
    std::set<std::size_t> found;
    if (const auto above = above_.find(op.results[0]); above != above_.end())
      found.insert(above->second);
    if (op.role.kind != StepRole::Kind::update) return found;
    if (const auto own = of_parameter_.find(op.role.parameter); own != of_parameter_.end())
      found.insert(own->second);
    if (!op.role.parameter.empty()) return found;
    for (ValueId operand : op.operands)
      if (const auto on = on_shards_.find(operand); on != on_shards_.end())
        found.insert(on->second.begin(), on->second.end());
    return found;
  }

 private:
  std::map<std::string, std::size_t> of_parameter_, of_state_;
  std::map<ValueId, std::size_t> above_;
  std::map<ValueId, std::set<std::size_t>> on_shards_;
};

}  // namespace

void use_shares(const Graph& graph, const std::vector<UpdateShare>& shares,
                const Assignment& assignment, std::vector<Sharding>& table,
                std::vector<ModuleVariable>& variables) {
  ShareIndex index(shares);
  std::map<std::string, const Sharding*> states;
  for (ModuleVariable& variable : variables)
    if (const auto share = index.of_state(variable.path)) {
      add(shares[*share], variable.type);
      states[variable.path] = &variable.type.sharding;
    }
  for (const Operation& op : graph.ops) {
    if (const std::string* read = ops::variable_read(op); read && states.contains(*read)) {
      table[op.results[0].at()] = *states[*read];
      continue;
    }
    for (const std::size_t share : index.shares_of(op))
      for (ValueId result : op.results) {
        // Not as scopes split it: a gradient is sharded as its parameter is.
        ShardType type{graph.at(result).type, table[result.at()]};
        if (!op.role.scopes.empty()) type.sharding = sharding_of(type.tensor.dims, assignment);
        if (!add(shares[share], type)) continue;
        table[result.at()] = type.sharding;
        index.put_on_shards(result, share);
      }
  }
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

/// What graphs but this one read, of a pipeline: parts of its update, as norms of states.
std::set<std::string> read_by_others(const State& s, std::size_t number) {
  std::set<std::string> found;
  for (std::size_t i = 0; i < s.made.graphs.size(); ++i)
    if (i != number)
      for (const Operation& op : s.made.graphs[i].ops)
        if (const std::string* read = ops::variable_read(op)) found.insert(*read);
  return found;
}

/// The graph with the update, padded where necessary, and how its values are split.
void shard(State& s, std::size_t number, VariableTable& variables) {
  Graph& graph = s.made.graphs[number];
  std::vector<Sharding>& table = s.made.shardings[number];
  std::vector<UpdateShare> shares =
      share_out_update(graph, {s.model.dims, s.assignment, table, variables},
                       s.options.shard_update, read_by_others(s, number));
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
    if (!program_names::is_part_of(graph.name, program_names::init)) continue;
    graph = pad_first_values(graph, s.model.dims, s.made.module.variables);
    s.made.shardings[i] = assign(graph, s.assignment);
  }
}

}  // namespace mtfc::lowering
