#include "layout/scopes.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {

void mark_scopes(State& s) {
  if (s.assignment.scopes.empty()) return;
  for (Graph* graph : {&s.model.train, &s.model.eval, &s.model.microbatch.graph})
    for (Operation& op : graph->ops) op.role.scopes = scopes_of(s.assignment, *graph, op);
}

}  // namespace mtfc::lowering
