#include "ir/scope_finder.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {

void mark_scopes(State& s) {
  if (s.assignment.scopes.empty()) return;
  ScopeFinder scopes(s.assignment);
  for (Graph* graph : {&s.model.init, &s.model.train, &s.model.eval, &s.model.microbatch.graph})
    for (Operation& op : graph->ops) op.role.scopes = scopes.of(*graph, op);
}

}  // namespace mtfc::lowering
