#include "layout/repairs.h"

#include <algorithm>
#include <map>

#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "layout/rules.h"
#include "layout/scopes.h"
#include "support/glob.h"

namespace mtfc::lowering {
namespace {
constexpr std::size_t most_repairs = 4;

std::string joined(const std::vector<std::string>& repairs) {
  std::string text;
  for (const std::string& repair : repairs) text += (text.empty() ? "" : ", or ") + repair;
  return text;
}

/// What a rule with a name and no pattern splits.
enum class Splits { neither, inputs, parameters };

bool has_dim(const Model& model, const TensorType& type, const std::string& name) {
  return std::any_of(type.dims.begin(), type.dims.end(),
                     [&](DimId dim) { return model.dims[dim].name == name; });
}

Splits splits(const Model& model, const LayoutRule& rule) {
  const auto has = [&](const auto& tensor) { return has_dim(model, tensor.type, rule.pattern); };
  if (std::any_of(model.variables.begin(), model.variables.end(), has)) return Splits::parameters;
  return std::any_of(model.inputs.begin(), model.inputs.end(), has) ? Splits::inputs
                                                                    : Splits::neither;
}

/// The blocks with stacks of matrices, one for each index of the dimension, those with most
/// elements first: their instances as one. Elsewhere, sums over a split dimension cost what is
/// gained.
std::vector<std::string> blocks_with(const Model& model, const std::string& dim) {
  std::map<std::string, double> elements;
  for (const Variable& variable : model.variables)
    if (variable.type.dims.size() > 2 && has_dim(model, variable.type, dim) &&
        !block_of(variable.path).empty())
      elements[general_path(block_of(variable.path))] +=
          static_cast<double>(mtfc::elements(model.dims, variable.type.dims));
  std::vector<std::string> blocks;
  for (const auto& [block, count] : elements) blocks.push_back(block);
  std::stable_sort(blocks.begin(), blocks.end(), [&](const std::string& a, const std::string& b) {
    return elements[a] > elements[b];
  });
  return blocks;
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

void Repairs::try_scope(int rule, LayoutScope scope, std::vector<std::string>& found) const {
  const std::string text = "`" + text_of(layout_.rules[static_cast<std::size_t>(rule)]) + "` as `" +
                           text_of(scope) + "`";
  Layout changed = without(rule);
  changed.scopes.push_back(std::move(scope));
  if (reaches(Goal::legal, changed)) found.push_back("write " + text);
}

void Repairs::try_scopes(int of_inputs, int of_parameters, std::vector<std::string>& found) const {
  const LayoutRule& given_up = layout_.rules[static_cast<std::size_t>(of_inputs)];
  const LayoutRule& taken = layout_.rules[static_cast<std::size_t>(of_parameters)];
  if (splits(model_, given_up) != Splits::inputs || splits(model_, taken) != Splits::parameters)
    return;
  LayoutRule left = given_up;
  left.axes.clear();
  left.axis_spans.clear();  // nothing is said of what is tried
  for (const std::string& axis : given_up.axes)
    if (std::find(taken.axes.begin(), taken.axes.end(), axis) == taken.axes.end())
      left.axes.push_back(axis), left.axis_spans.push_back(given_up.span);
  const std::size_t before = found.size();
  std::vector<std::string> blocks = blocks_with(model_, taken.pattern);
  if (blocks.size() > most_repairs) blocks.resize(most_repairs);
  for (const std::string& block : blocks) {
    if (found.size() > before) break;
    try_scope(of_parameters, {LayoutScope::Kind::block, block, {left, taken}, {}, {}}, found);
  }
  try_scope(of_parameters, {LayoutScope::Kind::param, "**", {taken}, {}, {}}, found);
}

std::vector<std::string> Repairs::find(Goal goal, const std::vector<int>& rules) const {
  std::vector<std::string> found;
  for (int rule : rules) try_removal(goal, rule, found);
  for (int rule : rules) try_moves(goal, rule, found);
  if (goal != Goal::legal || rules.size() != 2) return found;
  try_scopes(rules[1], rules[0], found);
  try_scopes(rules[0], rules[1], found);
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
