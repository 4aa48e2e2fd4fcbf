#include "plan/space/sequence.h"

#include <algorithm>

#include "ir/glob.h"
#include "plan/space/block_paths.h"
#include "plan/space/examples.h"

namespace mtfc::plan {
namespace {

std::vector<std::string> names_of(const Model& model, const TensorType& type) {
  std::vector<std::string> names;
  for (const DimId dim : type.dims) names.push_back(model.dims[dim].name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

BlockTypes block_types(const Model& model) {
  BlockTypes types;
  for (const Variable& variable : model.variables)
    types[general_path(path_around(variable.path))].insert(names_of(model, variable.type));
  const std::set<std::string> examples = example_dims(model);
  for (const Operation& op : model.train.ops)
    for (const ValueId id : op.results) {
      std::vector<std::string> names = names_of(model, model.train.at(id).type);
      const auto is_example = [&](const std::string& name) { return examples.contains(name); };
      // What has none, as a mask, is small.
      if (std::any_of(names.begin(), names.end(), is_example))
        types[without_uses(general_path(op.role.block.str()))].insert(std::move(names));
    }
  return types;
}

std::optional<Choice> split_where_free(const Choice& choice, const std::string& dim,
                                       const std::string& axis, const BlockTypes& blocks,
                                       const std::vector<Split>& given) {
  const std::vector<std::string> before = ruled_axes(choice, dim);
  std::vector<std::string> taken;  // dimensions that have the axis
  for (const auto* rules : {&choice.rules, &given})
    for (const Split& rule : *rules)
      if (rule.dim != dim && has(rule.axes, axis)) taken.push_back(rule.dim);
  if (has(before, axis)) return std::nullopt;
  const auto clashes = [&](const std::vector<std::string>& names) {
    return has(names, dim) && std::any_of(taken.begin(), taken.end(),
                                          [&](const std::string& one) { return has(names, one); });
  };
  const std::vector<std::string> after = axes_with(before, axis, choice.mesh);
  Choice found = choice;
  std::map<std::string, bool> split = {{"", true}};  // by path: whether `dim` has the axis there
  for (const auto& [path, types] : blocks) {         // a path comes after those around it
    const bool free = std::none_of(types.begin(), types.end(), clashes);
    if (path.empty()) {
      split[""] = free;
      continue;
    }
    if (std::none_of(types.begin(), types.end(),
                     [&](const auto& names) { return has(names, dim); }))
      continue;
    std::string outer = path_around(path);
    while (!split.contains(outer)) outer = path_around(outer);
    if (free != split[outer]) found.blocks.push_back({path, {{dim, free ? after : before}}});
    split[path] = free;
  }
  if (found.blocks.empty()) return std::nullopt;
  if (split[""]) {
    std::erase_if(found.rules, [&](const Split& one) { return one.dim == dim; });
    found.rules.push_back({dim, after});
  }
  return found;
}

}  // namespace mtfc::plan
