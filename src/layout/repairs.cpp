#include "layout/repairs.h"

#include <algorithm>
#include <map>

#include "ir/glob.h"
#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "layout/rules.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {
constexpr std::size_t most_repairs = 4;

constexpr int most_tries = 64;  // of two changes; each resolves the whole layout

std::string any_of_these(const std::vector<RuleChange>& changes) {
  return joined(changes, ", or ", [](const RuleChange& change) { return change.text; });
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

/// The blocks in which examples with the dimension are multiplied by stacks of matrices, one for
/// each of its indices, as by experts: those with the largest stacks first, their instances as one.
/// Elsewhere, sums over a split dimension cost what is gained.
std::vector<std::string> blocks_with(const Model& model, const std::string& dim,
                                     const std::string& of_examples) {
  std::map<std::string, double> elements;
  const auto is_stack = [&](const TensorType& a, const TensorType& b, const TensorType& result) {
    return b.dims.size() > 2 && has_dim(model, b, dim) && !has_dim(model, b, of_examples) &&
           has_dim(model, a, dim) && has_dim(model, a, of_examples) && has_dim(model, result, dim);
  };
  for (const Operation& op : model.train.ops) {
    if (op.operands.size() != 2 || op.results.size() != 1 || op.role.block.empty()) continue;
    const TensorType &a = model.train.at(op.operands[0]).type,
                     &b = model.train.at(op.operands[1]).type,
                     &result = model.train.at(op.results[0]).type;
    for (const TensorType* stack : {&a, &b})
      if (is_stack(stack == &a ? b : a, *stack, result))
        elements[general_path(op.role.block.str())] +=
            static_cast<double>(mtfc::elements(model.dims, stack->dims));
  }
  std::vector<std::string> blocks;
  for (const auto& [block, count] : elements) blocks.push_back(block);
  std::stable_sort(blocks.begin(), blocks.end(), [&](const std::string& x, const std::string& y) {
    return elements[x] > elements[y];
  });
  return blocks;
}

/// What is said of rules that pad a tenth or more.
std::set<std::string> waste_in(const Diagnostics& diagnostics) {
  std::set<std::string> said;
  for (const Diagnostic& d : diagnostics.all())
    if (d.kind == DiagKind::much_padding) said.insert(d.message);
  return said;
}

}  // namespace

std::set<std::string> Repairs::waste(const Layout& layout) const {
  Diagnostics unheard;
  resolve_all(layout, mesh_, model_, unheard);
  return waste_in(unheard);
}

bool Repairs::reaches(Goal goal, const Layout& changed) const {
  Diagnostics unheard;
  const Resolution found = resolve_all(changed, mesh_, model_, unheard);
  const std::set<std::string> wasted = waste_in(unheard);
  const bool wastes_more =
      !std::includes(wasted_.begin(), wasted_.end(), wasted.begin(), wasted.end());
  if (goal == Goal::legal && (!found.ok || wastes_more)) return false;
  return found.assignment && is_legal(model_, *found.assignment);
}

Layout Repairs::changed(const std::vector<const RuleChange*>& changes) const {
  Layout layout = layout_;
  std::vector<int> gone;
  for (const RuleChange* change : changes) {
    if (!change->axes.empty())
      layout.rules[static_cast<std::size_t>(change->rule)].axes = change->axes;
    else
      gone.push_back(change->rule);
    if (change->scope) layout.scopes.push_back(*change->scope);
  }
  std::sort(gone.rbegin(), gone.rend());
  for (const int rule : gone) layout.rules.erase(layout.rules.begin() + rule);
  return layout;
}

RuleChange Repairs::removal(int rule) const {
  return {rule, "remove `" + text_of(rule_at(rule)) + "`", {}, std::nullopt};
}

std::vector<RuleChange> Repairs::moves(int rule) const {
  const LayoutRule& old = rule_at(rule);
  std::vector<RuleChange> moves;
  for (const MeshAxis& axis : mesh_.axes)
    if (axis.size > 1 && old.axes != std::vector<std::string>{axis.name})
      moves.push_back(
          {rule, "write `" + old.pattern + ":" + axis.name + "`", {axis.name}, std::nullopt});
  return moves;
}

RuleChange Repairs::scoped(int rule, LayoutScope scope) const {
  const std::string text = "write `" + text_of(rule_at(rule)) + "` as `" + text_of(scope) + "`";
  return {rule, text, {}, std::move(scope)};
}

/// `of_parameters` in blocks of its own, where `of_inputs` gives it the axis.
std::vector<RuleChange> Repairs::handovers(int of_inputs, int of_parameters) const {
  const LayoutRule &given_up = rule_at(of_inputs), &taken = rule_at(of_parameters);
  if (splits(model_, given_up) != Splits::inputs || splits(model_, taken) != Splits::parameters)
    return {};
  LayoutRule left = given_up;
  left.axes.clear();
  left.axis_spans.clear();  // nothing is said of what is tried
  for (const std::string& axis : given_up.axes)
    if (std::find(taken.axes.begin(), taken.axes.end(), axis) == taken.axes.end())
      left.axes.push_back(axis), left.axis_spans.push_back(given_up.span);
  std::vector<std::string> blocks = blocks_with(model_, taken.pattern, given_up.pattern);
  if (blocks.size() > most_repairs) blocks.resize(most_repairs);
  std::vector<RuleChange> changes;
  for (const std::string& block : blocks)
    changes.push_back(
        scoped(of_parameters, {LayoutScope::Kind::block, block, {left, taken}, {}, {}}));
  return changes;
}

/// Of parameters alone: kept split, gathered where they are used.
std::vector<RuleChange> Repairs::keeping(int rule) const {
  if (splits(model_, rule_at(rule)) != Splits::parameters) return {};
  return {scoped(rule, {LayoutScope::Kind::param, "**", {rule_at(rule)}, {}, {}})};
}

void Repairs::add_first(const std::vector<RuleChange>& candidates,
                        std::vector<RuleChange>& found) const {
  for (const RuleChange& change : candidates)
    if (reaches(Goal::legal, changed({&change}))) return found.push_back(change);
}

std::vector<RuleChange> Repairs::find(Goal goal, const std::vector<int>& rules) const {
  std::vector<RuleChange> found;
  for (const int rule : rules)
    if (const RuleChange change = removal(rule); reaches(goal, changed({&change})))
      found.push_back(change);
  for (const int rule : rules)
    for (const RuleChange& change : moves(rule))
      if (found.size() < most_repairs && reaches(goal, changed({&change}))) found.push_back(change);
  if (goal != Goal::legal || rules.size() != 2) return found;
  for (const auto& [of_inputs, of_parameters] :
       {std::pair(rules[1], rules[0]), std::pair(rules[0], rules[1])}) {
    if (splits(model_, rule_at(of_inputs)) != Splits::inputs) continue;
    add_first(handovers(of_inputs, of_parameters), found);
    add_first(keeping(of_parameters), found);
  }
  return found;
}

std::string Repairs::help(int first_rule, int second_rule) const {
  // The later rule first: it was probably the one added.
  std::vector<int> rules{second_rule};
  if (first_rule != second_rule) rules.push_back(first_rule);
  if (const auto found = find(Goal::legal, rules); !found.empty())
    return "legal with one change: " + any_of_these(found);
  if (const auto found = find(Goal::no_clash, rules); !found.empty())
    return "no clash is left with one change: " + any_of_these(found);
  std::string text = "change `" + text_of(rule_at(first_rule)) + "`";
  if (first_rule != second_rule) text += " or `" + text_of(rule_at(second_rule)) + "`";
  return text + "; that alone does not make the layout legal";
}

/// What may become of the rules that clash; what keeps most of a rule first.
std::vector<RuleChange> Repairs::all_changes(const std::vector<RulePair>& clashes) const {
  std::vector<RuleChange> changes;
  const auto add = [&](std::vector<RuleChange> more) {
    for (RuleChange& change : more)
      if (std::none_of(changes.begin(), changes.end(),
                       [&](const RuleChange& known) { return known.text == change.text; }))
        changes.push_back(std::move(change));
  };
  for (const auto& [first, second] : clashes) {
    add(handovers(first, second));
    add(handovers(second, first));
  }
  for (const auto& [first, second] : clashes) {
    add(keeping(first));
    add(keeping(second));
  }
  for (const auto& [first, second] : clashes) add({removal(second), removal(first)});
  return changes;
}

std::optional<std::string> Repairs::help_with_two(const std::vector<RulePair>& clashes) const {
  const std::vector<RuleChange> changes = all_changes(clashes);
  const auto is_enough = [&](const RuleChange& change) {
    return reaches(Goal::legal, changed({&change}));
  };
  if (std::any_of(changes.begin(), changes.end(), is_enough)) return std::nullopt;
  int tries = 0;
  // By the sum of their places: two scopes before a scope and a removal before two removals.
  for (std::size_t sum = 1; sum + 1 < 2 * changes.size(); ++sum)
    for (std::size_t i = 0; 2 * i < sum; ++i) {
      const std::size_t j = sum - i;
      if (j >= changes.size() || changes[i].rule == changes[j].rule) continue;
      if (++tries > most_tries) return std::nullopt;
      if (reaches(Goal::legal, changed({&changes[i], &changes[j]})))
        return "legal with two changes: " + changes[i].text + ", and " + changes[j].text;
    }
  return std::nullopt;
}

}  // namespace mtfc::lowering
