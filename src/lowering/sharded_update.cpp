#include "lowering/sharded_update.h"

#include <algorithm>
#include <map>
#include <set>

#include "lowering/pending.h"

namespace mtfc::lowering {

namespace {

using Splits = std::vector<std::pair<DimId, AxisId>>;

bool has(const DimList& dims, DimId dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

/// The operations that update one parameter: those of phase update in its scope.
struct Owner {
  std::string path;
  TensorType type;
  std::vector<std::size_t> ops;
  std::set<ValueId> made;  // their results
};

/// Which dimension takes which axis: all ways are tried, up to a bound for meshes of very many
/// axes.
class Assignment {
 public:
  Assignment(const Mesh& mesh, const DimList& dims, const std::vector<AxisId>& axes)
      : mesh_(mesh), dims_(dims), axes_(axes) {
    for (AxisId axis : axes) possible_ *= mesh.size(axis);
  }

  Splits run(std::vector<std::int64_t> extents) {
    assign(0, extents, 1);
    return best_;
  }

 private:
  /// True once it cannot get better.
  bool assign(std::size_t i, std::vector<std::int64_t>& extents, std::int64_t parts) {
    if (i == axes_.size()) {
      if (parts > most_) most_ = parts, best_ = now_;
      return most_ == possible_ || --tries_ <= 0;
    }
    const std::int64_t size = mesh_.size(axes_[i]);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (extents[d] % size != 0) continue;
      extents[d] /= size;
      now_.emplace_back(dims_[d], axes_[i]);
      const bool done = assign(i + 1, extents, parts * size);
      now_.pop_back();
      extents[d] *= size;
      if (done) return true;
    }
    return assign(i + 1, extents, parts);
  }

  const Mesh& mesh_;
  const DimList& dims_;
  const std::vector<AxisId>& axes_;
  Splits now_, best_;
  std::int64_t most_ = 1, possible_ = 1;
  int tries_ = 10'000;
};

class Sharder {
 public:
  Sharder(const Graph& graph, const LowerContext& context, std::vector<Sharding>& table,
          std::vector<ModuleVariable>& variables)
      : graph_(graph),
        context_(context),
        table_(table),
        variables_(variables),
        pending_(find_pending(graph, context)) {}

  void run() {
    for (const Output& output : graph_.outputs)
      if (output.kind == Output::Kind::variable) writes_[output.name] = output.value;
    for (const ModuleVariable& variable : variables_) {
      if (variable.kind != Variable::Kind::parameter || !writes_.contains(variable.path)) continue;
      owners_[variable.path] = {variable.path, variable.type.tensor, {}, {}};
    }
    for (std::size_t i = 0; i < graph_.ops.size(); ++i) collect(i);
    for (auto& [path, owner] : owners_) shard(owner);
  }

 private:
  void collect(std::size_t i) {
    const Operation& op = graph_.ops[i];
    if (op.origin.phase != Phase::update) return;
    const auto owner = owners_.find(op.origin.scope);
    if (owner == owners_.end()) return;
    owner->second.ops.push_back(i);
    owner->second.made.insert(op.results.begin(), op.results.end());
  }

  /// What the update takes from the backward pass: a value of the parameter's shape that a sum over
  /// replicas runs into, straight or through clipping.
  ValueId gradient_of(const Owner& owner) const {
    for (std::size_t i : owner.ops)
      for (ValueId operand : graph_.ops[i].operands) {
        if (owner.made.contains(operand)) continue;
        const ValueId source = before_update(operand, owner.type);
        if (source.valid() && !pending_[source.at()].made.axes.empty()) return source;
      }
    return {};
  }
  ValueId before_update(ValueId value, const TensorType& type) const {
    for (int hops = 0; hops < 8; ++hops) {
      if (!same_set(graph_.at(value).type.dims, type.dims)) return {};
      const Operation& op = graph_.producer(value);
      if (op.origin.phase != Phase::update) return value;
      ValueId next;
      for (ValueId operand : op.operands)
        if (same_set(graph_.at(operand).type.dims, type.dims)) next = operand;
      if (!next.valid()) return {};
      value = next;
    }
    return {};
  }

  /// The axes in the dimensions that they divide, after what splits these already: so that the
  /// parameter is cut into the most parts, of equal ways in the first dimensions.
  Splits choose(const Owner& owner, const std::vector<AxisId>& axes) const {
    const ShardType whole{owner.type, sharding(owner.type)};
    return Assignment(context_.placement.mesh, owner.type.dims, axes)
        .run(shard_extents(context_.dims, context_.placement.mesh, whole));
  }
  Sharding sharding(const TensorType& type) const {
    Sharding result;
    for (DimId dim : type.dims) result.split.push_back(context_.placement.axes(dim));
    return result;
  }

  void shard(const Owner& owner) {
    const ValueId gradient = gradient_of(owner);
    if (!gradient.valid()) return;
    const Splits splits = choose(owner, pending_[gradient.at()].made.axes);
    if (splits.empty()) return;
    std::set<ValueId> on_shards = {gradient};
    for (ModuleVariable& variable : variables_) {
      if (variable.kind != Variable::Kind::optimizer || !written_by(owner, variable.path)) continue;
      add(splits, variable.type);
      states_[variable.path] = &variable;
    }
    for (const Operation& op : graph_.ops) {
      if (op.op == "read" && states_.contains(op.attrs.text("variable"))) {
        const Sharding& kept = states_[op.attrs.text("variable")]->type.sharding;
        table_[op.results[0].at()] = kept;
        continue;
      }
      if (op.origin.phase != Phase::update || !belongs(op, owner, on_shards)) continue;
      for (ValueId result : op.results) {
        ShardType type{graph_.at(result).type, table_[result.at()]};
        if (!add(splits, type)) continue;
        table_[result.at()] = type.sharding;
        on_shards.insert(result);
      }
    }
  }
  bool written_by(const Owner& owner, const std::string& path) const {
    const auto write = writes_.find(path);
    return write != writes_.end() && owner.made.contains(write->second);
  }
  static bool belongs(const Operation& op, const Owner& owner, const std::set<ValueId>& on_shards) {
    if (op.origin.scope == owner.path) return true;
    return op.origin.scope.empty() &&
           std::any_of(op.operands.begin(), op.operands.end(),
                       [&](ValueId operand) { return on_shards.contains(operand); });
  }

  /// True if the type has one of the dimensions.
  static bool add(const Splits& splits, ShardType& type) {
    bool any = false;
    for (const auto& [dim, axis] : splits) {
      if (!has(type.tensor.dims, dim)) continue;
      auto& split = type.sharding.split[static_cast<std::size_t>(position(type.tensor.dims, dim))];
      if (std::find(split.begin(), split.end(), axis) == split.end()) split.push_back(axis);
      any = true;
    }
    return any;
  }

  const Graph& graph_;
  const LowerContext& context_;
  std::vector<Sharding>& table_;
  std::vector<ModuleVariable>& variables_;
  std::vector<Pending> pending_;
  std::map<std::string, ValueId> writes_;  // by variable: its new value
  std::map<std::string, Owner> owners_;    // by parameter
  std::map<std::string, ModuleVariable*> states_;
};

}  // namespace

void shard_update(const Graph& graph, const LowerContext& context, std::vector<Sharding>& table,
                  std::vector<ModuleVariable>& variables) {
  Sharder(graph, context, table, variables).run();
}

}  // namespace mtfc::lowering
