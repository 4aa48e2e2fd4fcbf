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
  copier.copy_all([&](const Operation& op) {
    return has_rule(op) ? rule(op)(blocks, op, copier.copy(op.operands[0])) : ValueId();
  });
  return result;
}

void blockwise(State& s) {
  for (Graph& graph : s.made.graphs) graph = blockwise(graph, s.model.dims, s.assignment);
}

}  // namespace mtfc::lowering
