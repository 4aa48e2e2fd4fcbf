#include "lowering/graph/rewrite.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

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

/// Equal keys: equal results. `key` is overwritten: it keeps its memory from one to the next.
void write_key(const Operation& op, const std::vector<ValueId>& operands, std::string& key) {
  key = op.op;
  key += '\0';
  // Reading is no computation: what is read in several regions is one value (with one gradient).
  const ops::Kind kind = ops::op_of(op).kind;
  const bool reads = kind == ops::Kind::variable || kind == ops::Kind::field;
  const int tag = reads ? 0 : op.role.recompute;
  append(key, &tag, sizeof tag);
  if (!reads)
    for (const int scope : op.role.scopes) append(key, &scope, sizeof scope);
  key += '\0';
  for (ValueId id : operands) append(key, &id.index, sizeof id.index);
  for (const auto& [name, value] : op.attrs.all()) {
    key += name;
    key += '=';
    std::visit(KeyOf{key}, value);
  }
}

}  // namespace

Graph share_operations(const Graph& graph, const DimTable& dims) {
  const std::vector<bool> needed = needed_operations(graph);
  Graph result(graph.name);
  ops::Builder build(result, dims);
  std::vector<ValueId> map(graph.values.size());
  std::unordered_map<std::string, std::vector<ValueId>> seen;
  std::string key;
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    if (!needed[i]) continue;
    const Operation& op = graph.ops[i];
    std::vector<ValueId> operands = op.operands;
    for (ValueId& operand : operands) operand = map[operand.at()];
    write_key(op, operands, key);
    auto [it, fresh] = seen.try_emplace(key);
    if (fresh) it->second = build.copy(graph, op, std::move(operands));
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
