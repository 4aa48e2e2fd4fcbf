// What `pipeline "layers.*" { stages = 4 }` means for a model (docs/layouts.md).
#pragma once
#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// Fills `assignment.stages` if the layout has a pipeline. Reports fields that do not exist or do
/// not go with the model, and globs without a block.
void resolve_pipeline(const Layout& layout, const Model& model, Assignment& assignment,
                      Diagnostics& diagnostics);

}  // namespace mtfc::lowering
