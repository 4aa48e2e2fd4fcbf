// Whether the dimensions that a layout splits go together.
#pragma once
#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// No tensor and no operation may have two dimensions on one mesh axis; views are exempt, they move
/// data. Every pair of rules that clashes somewhere is one error, with repairs that were checked
/// again. A legal layout gets notes about what it leaves replicated. `layout` and `assignment`
/// belong together (assignment.h).
bool check_legality(const Model& model, const Layout& layout, const Assignment& assignment,
                    const SourceMap& sources, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
