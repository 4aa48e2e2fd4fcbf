#include "layout/rule_changes.h"

#include <algorithm>
#include <map>

#include "ir/glob.h"
#include "layout/rules.h"

namespace mtfc::lowering {
namespace {

constexpr std::size_t most_blocks = 4;

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

}  // namespace

Layout changed(Layout layout, const std::vector<const RuleChange*>& changes) {
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

RuleChange RuleChanges::removal(int rule) const {
  return {rule, "remove `" + text_of(rule_at(rule)) + "`"};
}

std::vector<RuleChange> RuleChanges::moves(int rule) const {
  const LayoutRule& old = rule_at(rule);
  std::vector<RuleChange> moves;
  for (const MeshAxis& axis : mesh_.axes)
    if (axis.size > 1 && old.axes != std::vector<std::string>{axis.name})
      moves.push_back({rule, "write `" + old.pattern + ":" + axis.name + "`", {axis.name}});
  return moves;
}

RuleChange RuleChanges::scoped(int rule, LayoutScope scope) const {
  const std::string text = "write `" + text_of(rule_at(rule)) + "` as `" + text_of(scope) + "`";
  return {rule, text, {}, std::move(scope)};
}

std::vector<RuleChange> RuleChanges::handovers(int of_inputs, int of_parameters) const {
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
  if (blocks.size() > most_blocks) blocks.resize(most_blocks);
  std::vector<RuleChange> changes;
  for (const std::string& block : blocks)
    changes.push_back(
        scoped(of_parameters, {LayoutScope::Kind::block, block, {left, taken}, {}, {}}));
  return changes;
}

std::vector<RuleChange> RuleChanges::keeping(int rule) const {
  if (splits(model_, rule_at(rule)) != Splits::parameters) return {};
  return {scoped(rule, {LayoutScope::Kind::param, "**", {rule_at(rule)}, {}, {}})};
}

bool RuleChanges::splits_parameters_alone(int rule) const {
  const LayoutRule& split = rule_at(rule);
  return splits(model_, split) == Splits::parameters &&
         std::none_of(model_.inputs.begin(), model_.inputs.end(), [&](const Input& input) {
           return has_dim(model_, input.type, split.pattern);
         });
}

bool RuleChanges::splits_inputs(int rule) const {
  return splits(model_, rule_at(rule)) == Splits::inputs;
}

}  // namespace mtfc::lowering
