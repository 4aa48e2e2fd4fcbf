// Where parameters are kept: what `param "glob" { dim:axis }` asks for (docs/layouts.md).
#pragma once
#include "ir/layout.h"
#include "ir/model.h"
#include "layout/padding_waste.h"
#include "support/diagnostic.h"

namespace mtfc::lowering {

/// Fills `assignment.kept`, whose mesh and dimensions are resolved. Of several scopes that rule one
/// dimension of a parameter, the one that matches the fewest parameters holds; what no scope rules
/// is kept as the general rules split it. Reports scopes and rules that match nothing, axes that do
/// not exist, sizes that do not divide, axes used for two dimensions, and scopes of equal width
/// that disagree.
void keep_parameters(const Layout& layout, const Model& model, Assignment& assignment,
                     std::vector<UnevenRule>& uneven, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
