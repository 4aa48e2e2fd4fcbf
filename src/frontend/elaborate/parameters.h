// What is checked of parameters once all statements were elaborated.
#pragma once
#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// Which variables the finished graph reads: noted in the session.
void collect_used(Context& cx);
/// Globs of `params` against the parameters: each must match one. `frozen` is settled here.
void apply_globs(Session& session);
void warn_unused_parameters(Session& session);
/// Parameters that have something for each place of a batch.
void warn_parameters_of_examples(Session& session);
/// A state that keeps its first value, of a model that trains.
void warn_states_without_update(Session& session);
/// Notes which parameters are frozen or out of reach of every gradient.
void note_untrained_parameters(Session& session);
/// Losses that no training can make smaller: no gradient of theirs reaches a parameter.
void warn_constant_losses(Session& session);

}  // namespace mtfc::elab
