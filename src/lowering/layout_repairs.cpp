#include "lowering/layout_repairs.h"

#include "lowering/layout_rules.h"
#include "lowering/legality.h"
#include "lowering/placement.h"

namespace mtfc::lowering {
namespace {
constexpr std::size_t most_repairs = 4;
}

bool Repairs::works(Layout changed) const {
  Diagnostics unheard;
  const auto placement = resolve(changed, mesh_, model_, SourceMap{}, unheard);
  return placement && is_legal(model_, *placement);
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

void Repairs::try_removal(int rule, std::vector<std::string>& found) const {
  const LayoutRule& old = layout_.rules[static_cast<std::size_t>(rule)];
  if (works(without(rule))) found.push_back("remove `" + text_of(old) + "`");
}

void Repairs::try_moves(int rule, std::vector<std::string>& found) const {
  const LayoutRule& old = layout_.rules[static_cast<std::size_t>(rule)];
  for (const MeshAxis& axis : mesh_.axes) {
    if (found.size() >= most_repairs) return;
    if (axis.size == 1 || axis.name == old.axes.front()) continue;
    if (works(moved(rule, axis.name)))
      found.push_back("write `" + old.pattern + ":" + axis.name + "`");
  }
}

std::string Repairs::help(int first_rule, int second_rule) const {
  std::vector<std::string> found;
  try_removal(second_rule, found);
  if (first_rule != second_rule) try_removal(first_rule, found);
  try_moves(second_rule, found);
  if (first_rule != second_rule) try_moves(first_rule, found);
  if (found.empty()) {
    const auto text = [&](int i) {
      return "`" + text_of(layout_.rules[static_cast<std::size_t>(i)]) + "`";
    };
    const std::string rules = first_rule == second_rule
                                  ? text(first_rule)
                                  : text(first_rule) + " or " + text(second_rule);
    return "change " + rules + "; that alone does not make the layout legal";
  }
  std::string text = "legal with one change: ";
  for (std::size_t i = 0; i < found.size(); ++i) text += (i ? ", or " : "") + found[i];
  return text;
}

}  // namespace mtfc::lowering
