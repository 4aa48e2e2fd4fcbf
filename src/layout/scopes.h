// `value "glob" { ... }` and `in "glob" { ... }`: how parts of a model are split (docs/layouts.md).
#pragma once
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"
#include "ir/scope_finder.h"
#include "layout/padding_waste.h"
#include "support/diagnostic.h"

namespace mtfc::lowering {

/// Fills `assignment.scopes`, whose mesh and dimensions are resolved: those that match less of the
/// model first. Reports scopes and rules that match nothing,
/// axes that do not exist, sizes that do not divide, axes used for two dimensions of a value, and
/// scopes of equal width that disagree.
void resolve_scopes(const Layout& layout, const Model& model, Assignment& assignment,
                    std::vector<UnevenRule>& uneven, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
