#include "lowering/spmd/lower_graph.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {

namespace {

void lower_some(State& s, bool accumulating, VariableTable& variables) {
  for (std::size_t i = s.made.graphs.size(); i-- > 0;) {
    const Graph& graph = s.made.graphs[i];
    if (accumulates(graph) != accumulating) continue;
    s.made.module.programs[i] =
        lower_graph(graph, {s.model.dims, s.assignment, s.made.shardings[i], variables});
  }
}

}  // namespace

void lower(State& s) {
  Module& module = s.made.module;
  module.dims = s.model.dims;
  module.step = s.step;
  module.programs.resize(s.made.graphs.size());
  VariableTable variables(module.variables);
  // Programs that add to variables say which of these are partial sums; the others read them.
  lower_some(s, true, variables);
  lower_some(s, false, variables);
}

}  // namespace mtfc::lowering
