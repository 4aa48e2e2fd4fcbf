// How parts of a model are split and kept (docs/layouts.md): scopes of a layout, resolved.
#pragma once
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"
#include "layout/padding_waste.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// `value "glob" { ... }` and `in "glob" { ... }`: fills `assignment.scopes`, whose mesh and
/// dimensions are resolved: those that match less of the model first. Reports scopes and rules that
/// match nothing, axes that do not exist, sizes that do not divide, axes used for two dimensions of
/// a value, and scopes of equal width that disagree.
void resolve_scopes(const Layout& layout, const Model& model, Assignment& assignment,
                    std::vector<UnevenRule>& uneven, Diagnostics& diagnostics);

/// `param "glob" { ... }`: fills `assignment.kept`, whose scopes are resolved. Of several scopes
/// that rule one dimension of a parameter, the one that matches the fewest parameters holds; what
/// no scope rules is kept as the general rules split it. Reports the same mistakes.
void keep_parameters(const Layout& layout, const Model& model, Assignment& assignment,
                     std::vector<UnevenRule>& uneven, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
