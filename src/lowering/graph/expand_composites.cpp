#include <algorithm>

#include "lowering/graph/rewrite.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

using Wanted = std::function<bool(const Operation&)>;

/// What stands for the results of a composite operation with these operands.
std::vector<ValueId> expanded(const Graph& graph, const Operation& op,
                              std::vector<ValueId> operands, ops::Builder& build) {
  Operation mapped = op;
  mapped.operands = std::move(operands);
  build.follow(op);
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
  std::vector<ValueId> results = ops::op_of(op).expand(build, mapped);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (const std::string& name = graph.at(op.results[i]).name; !name.empty())
      build.set_name(results[i], name);
  return results;
}

Graph expand_once(const Graph& graph, const DimTable& dims, const Wanted& goes) {
  Graph result{graph.name, {}, {}, {}};
  ops::Builder build(result, dims);
  std::vector<ValueId> map(graph.values.size());
  for (const Operation& op : graph.ops) {
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(map[operand.at()]);
    const std::vector<ValueId> results = goes(op) ? expanded(graph, op, std::move(operands), build)
                                                  : build.copy(graph, op, std::move(operands));
    for (std::size_t i = 0; i < results.size(); ++i) map[op.results[i].at()] = results[i];
  }
  carry_over(graph, result, [&](ValueId old) { return map[old.at()]; });
  return result;
}

}  // namespace

Graph expand_if(Graph graph, const DimTable& dims, const Wanted& wanted) {
  const Wanted goes = [&](const Operation& op) { return ops::op_of(op).expand && wanted(op); };
  if (std::none_of(graph.ops.begin(), graph.ops.end(), goes)) return graph;
  while (std::any_of(graph.ops.begin(), graph.ops.end(), goes))
    graph = expand_once(graph, dims, goes);
  // Without the values that expansions only read a type from.
  return expand_once(graph, dims, [](const Operation&) { return false; });
}

Graph expand(Graph graph, const DimTable& dims, bool keep_gradients) {
  return expand_if(std::move(graph), dims, [&](const Operation& op) {
    const ops::OpDef& def = ops::op_of(op);
    return !keep_gradients || (!def.gradient && def.not_differentiable.empty());
  });
}

Graph expand_composites(const Graph& graph, const DimTable& dims) {
  return expand(share_operations(graph, dims), dims, false);
}

}  // namespace mtfc::lowering
