#include "lowering/spmd/pad_update.h"

#include <algorithm>
#include <map>

#include "lowering/graph/padding.h"
#include "lowering/graph/rewrite.h"
#include "ops/inputs.h"
#include "ops/op.h"
#include "ops/slice.h"
#include "support/check.h"

namespace mtfc::lowering {

namespace {

/// x with zeros at the end of each dimension, or without what is there.
ValueId padded(ops::Builder& build, ValueId x, const PaddedDims& to) {
  for (const auto& [dim, fresh] : to)
    if (contains(build.type(x).dims, dim)) x = ops::pad(build, x, dim, 0, fresh);
  return x;
}
ValueId cut(ops::Builder& build, ValueId x, const PaddedDims& to) {
  for (const auto& [dim, fresh] : to)
    if (contains(build.type(x).dims, fresh)) x = build.slice(x, fresh, 0, dim);
  return x;
}

class Padder {
 public:
  Padder(const Graph& graph, std::vector<UpdateShare>& shares, DimTable& dims,
         Assignment& assignment, std::vector<ModuleVariable>& variables)
      : graph_(graph),
        shares_(shares),
        dims_(dims),
        assignment_(assignment),
        variables_(variables),
        build_(result_, dims),
        copier_(graph, build_) {
    result_.name = graph.name;
  }

  Graph run() {
    for (UpdateShare& share : shares_) {
      if (share.padded.empty()) continue;
      Work& work = works_.emplace_back(Work{&share, {}, {share.gradient}, {}});
      for (const auto& [dim, size] : share.padded) work.to[dim] = fresh_dim(dim, size);
    }
    for (const Operation& op : graph_.ops) rewrite(op);
    for (const Output& output : graph_.outputs)
      result_.outputs.push_back({output.kind, output.name, leaving(output)});
    for (UpdateShare& share : shares_) {
      if (share.gradient.valid()) share.gradient = now(share.gradient, share);
      std::set<ValueId> above;
      for (ValueId old : share.above) above.insert(now(old, share));
      share.above = std::move(above);
    }
    result_.updates = graph_.updates;
    for (ParameterUpdate& update : result_.updates) update.gradient = gradient_now(update);
    for (Work& work : works_) finish(work);
    return std::move(result_);
  }

 private:
  /// One share with padding while the graph is rewritten.
  struct Work {
    UpdateShare* share;
    PaddedDims to;
    std::set<ValueId> on_shards;        // of the old graph
    std::map<ValueId, ValueId> padded;  // old value: the new one, with padding
  };

  DimId fresh_dim(DimId dim, std::int64_t size) {
    DimId& fresh = fresh_[{dim, size}];
    if (fresh.valid()) return fresh;
    return fresh = assignment_.add_dim(dims_, padded_dim(dims_, dim, size));
  }

  void rewrite(const Operation& op) {
    for (Work& work : works_)
      if (belongs(op, *work.share, work.on_shards)) return rewrite(op, work);
    copy(op);
  }

  /// As it is, reading values without padding.
  void copy(const Operation& op) {
    for (ValueId operand : op.operands) plain(operand);
    copier_.copy_operation(op);
  }
  ValueId plain(ValueId old) {
    if (!copier_.has(old))
      for (Work& work : works_)
        if (const auto found = work.padded.find(old); found != work.padded.end()) {
          build_.follow(graph_.producer(old));
          copier_.replace(old, cut(build_, found->second, work.to));
        }
    return copier_.copy(old);
  }

  void rewrite(const Operation& op, Work& work) {
    const std::string* variable = ops::variable_read(op);
    const bool state = variable && work.share->states.contains(*variable);
    const bool above = work.share->above.contains(op.results[0]);
    const bool reads =
        above || std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId operand) {
          return operand == work.share->gradient || work.padded.contains(operand);
        });
    if (!state && (!reads || !knows_padding(op))) return copy(op);
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(with_padding(operand, work, op));
    build_.follow(op);
    if (ops::op_of(op).kind == ops::Kind::combine) leave_out(op, operands, work);
    Attrs attrs;
    for (const auto& [key, value] : op.attrs.all()) {
      const auto* list = std::get_if<DimList>(&value);
      attrs.set(key, list ? AttrValue(padded_dims(*list, work.to)) : value);
    }
    const ValueId made = build_.apply(op.op, std::move(operands), std::move(attrs));
    const ValueId old = op.results[0];
    build_.set_name(made, graph_.at(old).name);
    if (same_set(build_.type(made).dims, graph_.at(old).type.dims)) {
      copier_.replace(old, made);
    } else {
      work.padded[old] = made;
      work.on_shards.insert(old);
    }
  }

  /// What keeps padding apart from the rest: it works element by element, or combines elements.
  bool knows_padding(const Operation& op) const {
    using ops::Kind, ops::Role;
    const ops::OpDef& def = ops::op_of(op);
    if (def.kind != Kind::elementwise && def.kind != Kind::copy && def.kind != Kind::combine)
      return false;
    const std::vector<ops::Factor> factors = def.factors(op, graph_).list;
    return std::all_of(factors.begin(), factors.end(), [](const ops::Factor& f) {
      return f.role == Role::parallel || f.role == Role::reduced || f.role == Role::created;
    });
  }

  ValueId with_padding(ValueId old, Work& work, const Operation& user) {
    const auto found = work.padded.find(old);
    if (found != work.padded.end()) return found->second;
    const ValueId value = plain(old);
    if (padded_dims(build_.type(value).dims, work.to) == build_.type(value).dims) return value;
    build_.follow(user);
    build_.role.kind = StepRole::Kind::update;
    build_.role.parameter = work.share->path;
    return work.padded[old] = padded(build_, value, work.to);
  }

  /// Padding may hold anything, not a number too: what is reduced gets what changes nothing there.
  void leave_out(const Operation& op, std::vector<ValueId>& operands, const Work& work) {
    const double nothing = neutral(ops::op_of(op).factors(op, graph_).combine);
    for (const auto& [dim, fresh] : work.to) {
      if (contains(graph_.at(op.results[0]).type.dims, dim)) continue;
      for (ValueId& operand : operands) {
        if (!contains(build_.type(operand).dims, fresh)) continue;
        build_.role.parameter = work.share->path;  // so that it is made on the shards
        const ValueId counts = inside(build_, fresh);
        build_.follow(op);
        operand = filled(build_, operand, counts, nothing);
      }
    }
  }

  ValueId leaving(const Output& output) {
    for (Work& work : works_)
      if (output.kind == Output::Kind::variable && work.share->states.contains(output.name))
        return with_padding(output.value, work, graph_.producer(output.value));
    return plain(output.value);
  }

  /// A value of the new graph; what is above a gradient has padding.
  ValueId now(ValueId old, const UpdateShare& share) {
    for (const Work& work : works_)
      if (work.share == &share && share.above.contains(old) && work.padded.contains(old))
        return work.padded.at(old);
    return plain(old);
  }

  /// Nothing is added for its sake: not valid if only parts of it are left.
  ValueId gradient_now(const ParameterUpdate& update) {
    for (const UpdateShare& share : shares_)
      if (share.path == update.parameter) return share.gradient;
    return copier_.has(update.gradient) ? copier_.copy(update.gradient) : ValueId{};
  }

  void finish(Work& work) {
    UpdateShare& share = *work.share;
    share.type.dims = padded_dims(share.type.dims, work.to);
    for (auto& [dim, axis] : share.splits)
      if (const auto found = work.to.find(dim); found != work.to.end()) dim = found->second;
    for (const auto& [dim, fresh] : work.to)
      if (auto kept = share.kept.extract(dim)) {
        kept.key() = fresh;
        share.kept.insert(std::move(kept));
      }
    share.padded.clear();
    for (ModuleVariable& variable : variables_)
      if (share.states.contains(variable.path))
        variable.type.tensor.dims = padded_dims(variable.type.tensor.dims, work.to);
  }

  const Graph& graph_;
  std::vector<UpdateShare>& shares_;
  DimTable& dims_;
  Assignment& assignment_;
  std::vector<ModuleVariable>& variables_;
  Graph result_;
  ops::Builder build_;
  Copier copier_;
  std::vector<Work> works_;
  std::map<std::pair<DimId, std::int64_t>, DimId> fresh_;
};

}  // namespace

Graph pad_update(const Graph& graph, std::vector<UpdateShare>& shares, DimTable& dims,
                 Assignment& assignment, std::vector<ModuleVariable>& variables) {
  return Padder(graph, shares, dims, assignment, variables).run();
}

Graph pad_first_values(const Graph& graph, const DimTable& dims,
                       const std::vector<ModuleVariable>& variables) {
  Graph result = graph;
  ops::Builder build(result, dims);
  for (Output& output : result.outputs) {
    const auto variable =
        std::find_if(variables.begin(), variables.end(),
                     [&](const ModuleVariable& v) { return v.path == output.name; });
    if (output.kind != Output::Kind::variable || variable == variables.end()) continue;
    PaddedDims to;
    for (DimId dim : variable->type.tensor.dims)
      if (dims[dim].pads.valid()) to[dims[dim].pads] = dim;
    build.follow(graph.producer(output.value));
    output.value = padded(build, output.value, to);
  }
  return result;
}

}  // namespace mtfc::lowering
