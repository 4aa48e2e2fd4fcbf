#include "lowering/graph/blockwise.h"

#include <algorithm>

#include "lowering/graph/rewrite.h"
#include "lowering/state/passes.h"
#include "ops/blockwise.h"
#include "ops/op.h"

namespace mtfc::lowering {

Graph blockwise(const Graph& graph, DimTable& dims, Assignment& assignment) {
  const auto rule = [](const Operation& op) -> const auto& { return ops::op_of(op).blockwise; };
  const auto has_rule = [&](const Operation& op) { return bool{rule(op)}; };
  if (std::none_of(graph.ops.begin(), graph.ops.end(), has_rule)) return graph;

  Graph result(graph.name);
  ops::Builder build(result, dims);
  ops::Blockwise blocks(build, dims, assignment);
  Copier copier(graph, build);
  for (const Operation& op : graph.ops) {
    ValueId made;
    if (has_rule(op)) {
      build.follow(op);
      made = rule(op)(blocks, op, copier.copy(op.operands[0]));
    }
    if (!made.valid()) {
      copier.copy_operation(op);
      continue;
    }
    made = build.broadcast(made, graph.at(op.results[0]).type.dims);
    build.set_name(made, graph.at(op.results[0]).name);
    copier.replace(op.results[0], made);
  }
  carry_over(graph, result, [&](ValueId old) { return copier.copy(old); });
  return result;
}

void blockwise(State& s) {
  for (Graph& graph : s.made.graphs) graph = blockwise(graph, s.model.dims, s.assignment);
}

}  // namespace mtfc::lowering
