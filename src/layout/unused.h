// What a layout has and the model or mtfc does not use: mesh axes that split nothing, entries that
// change nothing.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// Mesh axes over which nothing of the model is split, whatever its size. A layout that says so
/// (`[]`) is left in peace. `layout` and `assignment` belong together and are legal.
void warn_idle_axes(const Model& model, const Layout& layout, const Assignment& assignment,
                    Diagnostics& diagnostics);

/// General rules by which nothing of the model is split, since scopes take them back everywhere:
/// the assignment, which is complete, has them no longer, so that nothing is padded for them. Nor
/// has it scopes that rule nothing of the model: operations in one are not shared with others.
void drop_taken_back(const Model& model, Assignment& assignment);
/// Warns of those, and of general rules that others beat wherever they match (W410).
void warn_without_effect(const Model& model, const Layout& layout, const Assignment& assignment,
                         Diagnostics& diagnostics);

/// Names of dimensions that a rule or an entry of a scope splits.
std::set<std::string> split_names(const Layout& layout, const Model& model);
/// An entry `d:[]`, without `?`, where `d` is none of the names that are split. Absent: it acts.
std::optional<Diagnostic> idle_entry(const LayoutScope& scope, const LayoutRule& rule,
                                     const std::set<std::string>& split);

/// `rows:batch`: a rule whose sides are exchanged. Absent if it is none.
std::optional<Diagnostic> exchanged_sides(const LayoutRule& rule, const Mesh& mesh,
                                          const Model& model);

}  // namespace mtfc::lowering
