#include "lowering/spmd/resolve_step.h"

#include "layout/resolve_graph.h"

namespace mtfc::lowering {

ResolvedStep resolve_step(const State& state) {
  std::vector<ModuleVariable> copies = state.made.module.variables;
  VariableTable variables(copies);
  MoveTable moves(state.model.dims, state.assignment.mesh);
  ResolvedStep total;
  const auto add = [&](bool accumulating) {
    for (std::size_t i = 0; i < state.made.graphs.size(); ++i) {
      const Graph& graph = state.made.graphs[i];
      if (accumulates(graph) != accumulating) continue;
      const ResolvedGraph resolved = resolve_graph(
          graph, {state.model.dims, state.assignment, state.made.shardings[i], variables}, moves);
      for (const StepProgram& step : state.step) {
        if (step.program != graph.name) continue;
        total.collectives += resolved.collectives * step.microbatches;
        total.sent_bytes += resolved.sent_bytes * static_cast<double>(step.microbatches);
      }
    }
  };
  add(true);  // they say which variables are partial sums; the others read them
  add(false);
  return total;
}

}  // namespace mtfc::lowering
