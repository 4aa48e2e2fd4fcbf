// `microbatches = n`: the training graph on every n-th example (docs/memory.md).
#pragma once
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// Fills Model::microbatch if the model trains with micro-batches, adds its dimensions to the
/// table, and puts evaluations on micro-batches where they can be (split_evaluation.h); before
/// layouts are checked, since rules apply to them as well. Reports what cannot be done on a
/// micro-batch, and warns of what each micro-batch does alone. False if there is an error.
bool split_batch(Model& model, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
