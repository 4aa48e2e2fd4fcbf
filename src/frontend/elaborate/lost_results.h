// A scalar among several results of a call that decides nothing: a balance that was to be in the
// loss.
#pragma once
#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// One of the names of `a, b = call`, and what it gets.
void note_result(Context& cx, const ast::Name& name, const Val& val, Span call);
/// Warns of scalars that reach no loss, metric or state, once both elaborations are done.
void warn_lost_results(Session& session);

}  // namespace mtfc::elab
