// What a layout has and the model or mtfc does not use: mesh axes that split nothing, entries that
// change nothing.
#pragma once
#include <optional>

#include "ir/layout.h"
#include "ir/model.h"
#include "support/diagnostic.h"

namespace mtfc::lowering {

/// Mesh axes over which nothing of the model is split, whatever its size. A layout that says so
/// (`[]`) is left in peace. `layout` and `assignment` belong together and are legal.
void warn_idle_axes(const Model& model, const Layout& layout, const Assignment& assignment,
                    Diagnostics& diagnostics);

/// Entries `d:[]` of scopes, without `?`, where neither a rule nor another entry splits `d`.
void warn_idle_entries(const Model& model, const Layout& layout, Diagnostics& diagnostics);

/// `rows:batch`: a rule whose sides are exchanged. Absent if it is none.
std::optional<Diagnostic> exchanged_sides(const LayoutRule& rule, const Mesh& mesh,
                                          const Model& model);

}  // namespace mtfc::lowering
