// What a legal layout leaves whole on every processor although it is large (N420).
#pragma once
#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// At most three notes, the largest first: tensors of a million elements and more that no rule
/// splits, and products that all processors, or all along some
/// mesh axis, compute alike.
void note_replication(const Model& model, const Assignment& assignment, const SourceMap& sources,
                      Diagnostics& diagnostics);

}  // namespace mtfc::lowering
