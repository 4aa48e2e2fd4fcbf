#include "layout/layout_trial.h"

#include <algorithm>

#include "layout/assignment.h"
#include "layout/axis_conflicts.h"

namespace mtfc::lowering {
namespace {

/// What is said of rules that pad a tenth or more.
std::set<std::string> waste_in(const Diagnostics& diagnostics) {
  std::set<std::string> said;
  for (const Diagnostic& d : diagnostics.all())
    if (d.kind == DiagKind::much_padding) said.insert(d.message);
  return said;
}

std::set<std::string> waste(const Layout& layout, const Mesh& mesh, const Model& model) {
  Diagnostics unheard;
  resolve_all(layout, mesh, model, unheard);
  return waste_in(unheard);
}

}  // namespace

LayoutTrial::LayoutTrial(const Model& model, const Layout& layout, const Mesh& mesh)
    : model_(model), mesh_(mesh), wasted_(waste(layout, mesh, model)) {}

bool LayoutTrial::reaches(Goal goal, const Layout& changed) const {
  Diagnostics unheard;
  const Resolution found = resolve_all(changed, mesh_, model_, unheard);
  const std::set<std::string> wasted = waste_in(unheard);
  const bool wastes_more =
      !std::includes(wasted_.begin(), wasted_.end(), wasted.begin(), wasted.end());
  if (goal == Goal::legal && (!found.ok || wastes_more)) return false;
  return found.assignment && is_legal(model_, *found.assignment);
}

}  // namespace mtfc::lowering
