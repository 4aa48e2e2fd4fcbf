#include "lowering/graph/rewrite.h"

#include <cstring>

#include "ops/op.h"

namespace mtfc::lowering {

ValueId Copier::copy(ValueId id) {
  if (!id.valid() || map_[id.at()].valid()) return id.valid() ? map_[id.at()] : id;
  // Iterative: chains of operations are long.
  std::vector<OpId> stack{from_.at(id).producer};
  while (!stack.empty()) {
    const Operation& op = from_.at(stack.back());
    if (map_[op.results[0].at()].valid()) {
      stack.pop_back();
      continue;
    }
    bool ready = true;
    for (ValueId operand : op.operands) {
      if (!map_[operand.at()].valid()) {
        stack.push_back(from_.at(operand).producer);
        ready = false;
      }
    }
    if (!ready) continue;
    copy_operation(op);
    stack.pop_back();
  }
  return map_[id.at()];
}

void carry_over(const Graph& from, Graph& to, const std::function<ValueId(ValueId)>& now) {
  for (const Output& output : from.outputs)
    to.outputs.push_back({output.kind, output.name, now(output.value)});
  to.updates = from.updates;
  for (ParameterUpdate& update : to.updates)
    if (update.gradient.valid()) update.gradient = now(update.gradient);
}

void Copier::copy_operation(const Operation& op) {
  std::vector<ValueId> operands;
  for (ValueId operand : op.operands) operands.push_back(map_[operand.at()]);
  to_.follow(op);
  const std::vector<ValueId> results = to_.apply_many(op.op, std::move(operands), op.attrs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    map_[op.results[i].at()] = results[i];
    const std::string& name = from_.at(op.results[i]).name;
    if (!name.empty()) to_.set_name(results[i], name);
  }
}

namespace {

/// One round; true if something was expanded.
bool expand_once(const Graph& graph, const DimTable& dims,
                 const std::function<bool(const Operation&)>& wanted, Graph& result) {
  result = Graph{graph.name, {}, {}, {}};
  ops::Builder build(result, dims);
  std::vector<ValueId> map(graph.values.size());
  bool changed = false;
  for (const Operation& op : graph.ops) {
    Operation mapped = op;
    for (ValueId& operand : mapped.operands) operand = map[operand.at()];
    build.follow(op);
    const ops::OpDef& def = ops::op_of(op);
    const bool stays = !def.expand || !wanted(op);
    std::vector<ValueId> results;
    if (stays) {
      results = build.apply_many(op.op, mapped.operands, op.attrs);
    } else {
      changed = true;
      // The expansion asks for the result's type: give it a copy of the operation to read it from.
      Graph& g = build.graph();
      mapped.results.clear();
      for (ValueId old : op.results) {
        mapped.results.push_back(next_id<ValueId>(g.values));
        Value v = graph.at(old);
        v.name.clear();
        v.producer = OpId{};
        g.values.push_back(std::move(v));
      }
      results = def.expand(build, mapped);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      map[op.results[i].at()] = results[i];
      const std::string& name = graph.at(op.results[i]).name;
      if (!name.empty()) build.set_name(results[i], name);
    }
  }
  carry_over(graph, result, [&](ValueId old) { return map[old.at()]; });
  return changed;
}

void append(std::string& key, const void* data, std::size_t size) {
  key.append(static_cast<const char*>(data), size);
}

struct KeyOf {
  std::string& key;
  void operator()(bool v) { key += v ? 'T' : 'F'; }
  void operator()(std::int64_t v) { append(key, &v, sizeof v); }
  void operator()(double v) { append(key, &v, sizeof v); }
  void operator()(const std::string& v) {
    (*this)(static_cast<std::int64_t>(v.size()));
    key += v;
  }
  void operator()(DType v) { key += static_cast<char>(v); }
  void operator()(const DimList& v) {
    (*this)(static_cast<std::int64_t>(v.size()));
    for (DimId dim : v) append(key, &dim.index, sizeof dim.index);
  }
  void operator()(const std::vector<DimGroup>& v) {
    (*this)(static_cast<std::int64_t>(v.size()));
    for (const DimGroup& g : v) {
      (*this)(g.from);
      (*this)(g.to);
    }
  }
  void operator()(const std::vector<WindowItem>& v) {
    (*this)(static_cast<std::int64_t>(v.size()));
    for (const WindowItem& item : v) {
      append(key, &item.dim.index, sizeof item.dim.index);
      (*this)(item.at.begin);
      (*this)(static_cast<std::int64_t>(item.at.terms.size()));
      for (const Affine::Term& term : item.at.terms) {
        append(key, &term.dim.index, sizeof term.dim.index);
        (*this)(term.scale);
      }
    }
  }
  void operator()(const std::vector<std::int64_t>& v) {
    (*this)(static_cast<std::int64_t>(v.size()));
    for (std::int64_t x : v) (*this)(x);
  }
};

/// Equal keys: equal results.
std::string key_of(const Operation& op, const std::vector<ValueId>& operands) {
  std::string key = op.op;
  key += '\0';
  // Reading is no computation: what is read in several regions is one value (with one gradient).
  const ops::Kind kind = ops::op_of(op).kind;
  const bool reads = kind == ops::Kind::variable || kind == ops::Kind::field;
  const int tag = reads ? 0 : op.role.recompute;
  append(key, &tag, sizeof tag);
  for (ValueId id : operands) append(key, &id.index, sizeof id.index);
  for (const auto& [name, value] : op.attrs.all()) {
    key += name;
    key += '=';
    std::visit(KeyOf{key}, value);
  }
  return key;
}

}  // namespace

std::vector<bool> needed_operations(const Graph& graph) {
  std::vector<bool> needed(graph.ops.size());
  std::vector<OpId> stack;
  auto want = [&](ValueId id) {
    const OpId producer = graph.at(id).producer;
    if (!producer.valid() || needed[producer.at()]) return;
    needed[producer.at()] = true;
    stack.push_back(producer);
  };
  for (const Output& output : graph.outputs) want(output.value);
  while (!stack.empty()) {
    const Operation& op = graph.at(stack.back());
    stack.pop_back();
    for (ValueId operand : op.operands) want(operand);
  }
  return needed;
}

Graph expand_if(const Graph& graph, const DimTable& dims,
                const std::function<bool(const Operation&)>& wanted) {
  Graph current = graph, next;
  while (expand_once(current, dims, wanted, next)) current = std::move(next);
  return next;
}

Graph expand(const Graph& graph, const DimTable& dims, bool keep_gradients) {
  return expand_if(graph, dims, [&](const Operation& op) {
    const ops::OpDef& def = ops::op_of(op);
    return !keep_gradients || (!def.gradient && def.not_differentiable.empty());
  });
}

Graph share_and_prune(const Graph& graph, const DimTable& dims) {
  const std::vector<bool> needed = needed_operations(graph);
  Graph result{graph.name, {}, {}, {}};
  ops::Builder build(result, dims);
  std::vector<ValueId> map(graph.values.size());
  std::unordered_map<std::string, std::vector<ValueId>> seen;
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    if (!needed[i]) continue;
    const Operation& op = graph.ops[i];
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(map[operand.at()]);
    auto [it, fresh] = seen.try_emplace(key_of(op, operands));
    if (fresh) {
      build.follow(op);
      it->second = build.apply_many(op.op, std::move(operands), op.attrs);
    }
    for (std::size_t r = 0; r < op.results.size(); ++r) {
      map[op.results[r].at()] = it->second[r];
      const std::string& name = graph.at(op.results[r]).name;
      if (!name.empty()) build.set_name(it->second[r], name);
    }
  }
  carry_over(graph, result, [&](ValueId old) { return map[old.at()]; });
  return result;
}

}  // namespace mtfc::lowering
