// `microbatches = n`: the training graph on every n-th example (docs/memory.md).
#pragma once
#include "ir/model.h"
#include "support/diagnostic.h"

namespace mtfc::lowering {

/// Fills Model::parts if the model trains with micro-batches, and adds its dimensions to the table;
/// before layouts are checked, since rules apply to them as well. Reports what cannot be done on a
/// part, and warns of what each part does alone. False if there is an error.
bool split_batch(Model& model, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
