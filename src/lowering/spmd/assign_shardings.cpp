#include "layout/assign.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {

void assign_shardings(State& s) {
  Module& module = s.made.module;
  module.model_path = s.model.path;
  module.mesh = s.assignment.mesh;
  for (const Variable& v : s.model.variables) {
    module.variables.push_back(
        {v.path, {v.type, sharding_of(v.path, v.type.dims, s.assignment)}, v.kind});
  }
  for (const Input& input : s.model.inputs) {
    module.inputs.push_back({input.name,
                             {input.type, sharding_of(input.type.dims, s.assignment)},
                             input.source,
                             input.field});
  }
  for (const Graph& graph : s.made.graphs) s.made.shardings.push_back(assign(graph, s.assignment));
}

}  // namespace mtfc::lowering
