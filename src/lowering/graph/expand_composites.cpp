#include "lowering/graph/rewrite.h"
#include "ops/op.h"

namespace mtfc::lowering {

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

}  // namespace

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

Graph expand_composites(const Graph& graph, const DimTable& dims) {
  return expand(share_operations(graph, dims), dims, false);
}

}  // namespace mtfc::lowering
