#include "layout/repairs.h"

#include <algorithm>

#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "layout/rules.h"

namespace mtfc::lowering {
namespace {
constexpr std::size_t most_repairs = 4;

std::string joined(const std::vector<std::string>& repairs) {
  std::string text;
  for (const std::string& repair : repairs) text += (text.empty() ? "" : ", or ") + repair;
  return text;
}

/// Whether a rule pads a tenth or more.
bool wastes(const Diagnostics& diagnostics) {
  const auto& all = diagnostics.all();
  return std::any_of(all.begin(), all.end(),
                     [](const Diagnostic& d) { return d.kind == DiagKind::much_padding; });
}

}  // namespace

bool Repairs::reaches(Goal goal, const Layout& changed) const {
  Diagnostics unheard;
  const Resolution found = resolve_all(changed, mesh_, model_, SourceMap{}, unheard);
  if (goal == Goal::legal && (!found.ok || wastes(unheard))) return false;
  return found.assignment && is_legal(model_, *found.assignment);
}

Layout Repairs::without(int rule) const {
  Layout changed = layout_;
  changed.rules.erase(changed.rules.begin() + rule);
  return changed;
}

Layout Repairs::moved(int rule, const std::string& axis) const {
  Layout changed = layout_;
  changed.rules[static_cast<std::size_t>(rule)].axes = {axis};
  return changed;
}

void Repairs::try_removal(Goal goal, int rule, std::vector<std::string>& found) const {
  const LayoutRule& old = layout_.rules[static_cast<std::size_t>(rule)];
  if (reaches(goal, without(rule))) found.push_back("remove `" + text_of(old) + "`");
}

void Repairs::try_moves(Goal goal, int rule, std::vector<std::string>& found) const {
  const LayoutRule& old = layout_.rules[static_cast<std::size_t>(rule)];
  for (const MeshAxis& axis : mesh_.axes) {
    if (found.size() >= most_repairs) return;
    if (axis.size == 1 || old.axes == std::vector<std::string>{axis.name}) continue;
    if (reaches(goal, moved(rule, axis.name)))
      found.push_back("write `" + old.pattern + ":" + axis.name + "`");
  }
}

std::vector<std::string> Repairs::find(Goal goal, const std::vector<int>& rules) const {
  std::vector<std::string> found;
  for (int rule : rules) try_removal(goal, rule, found);
  for (int rule : rules) try_moves(goal, rule, found);
  return found;
}

std::string Repairs::help(int first_rule, int second_rule) const {
  // The later rule first: it was probably the one added.
  std::vector<int> rules{second_rule};
  if (first_rule != second_rule) rules.push_back(first_rule);
  if (const auto found = find(Goal::legal, rules); !found.empty())
    return "legal with one change: " + joined(found);
  if (const auto found = find(Goal::no_clash, rules); !found.empty())
    return "no clash is left with one change: " + joined(found);
  std::string text =
      "change `" + text_of(layout_.rules[static_cast<std::size_t>(first_rule)]) + "`";
  if (first_rule != second_rule)
    text += " or `" + text_of(layout_.rules[static_cast<std::size_t>(second_rule)]) + "`";
  return text + "; that alone does not make the layout legal";
}

}  // namespace mtfc::lowering
