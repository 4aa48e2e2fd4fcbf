#include "plan/space/sequence.h"

#include <algorithm>

#include "ir/glob.h"
#include "plan/space/block_paths.h"
#include "plan/space/clashes.h"
#include "plan/space/examples.h"

namespace mtfc::plan {
namespace {

std::vector<std::string> names_of(const Model& model, const TensorType& type) {
  std::vector<std::string> names;
  for (const DimId dim : type.dims) names.push_back(model.dims[dim].name);
  std::sort(names.begin(), names.end());
  return names;
}

void add_types(const Model& model, NamedBlocks& blocks) {
  for (const Variable& variable : model.variables)
    blocks[general_path(path_around(variable.path))].types.insert(names_of(model, variable.type));
  const std::set<std::string> examples = example_dims(model);
  const auto is_example = [&](const std::string& name) { return examples.contains(name); };
  for (const Operation& op : model.train.ops)
    for (const ValueId id : op.results) {
      std::vector<std::string> names = names_of(model, model.train.at(id).type);
      // What has none, as a mask, is small.
      if (std::any_of(names.begin(), names.end(), is_example))
        blocks[without_uses(general_path(op.role.block.str()))].types.insert(std::move(names));
    }
}

/// Which blocks have the dimension over the axis, found from the outermost to the innermost.
class FreeBlocks {
 public:
  FreeBlocks(std::string dim, std::vector<std::string> taken)
      : dim_(std::move(dim)), taken_(std::move(taken)) {}

  /// What is in no block: general rules are to be legal there.
  void begin(const BlockNames& names) {
    known_[""] = {is_free(names) && !is_illegal(names), false};
  }
  bool general() const { return known_.at("").split; }

  /// Whether a scope of the block has it over the axis. Nothing: it needs no scope.
  std::optional<bool> add(const std::string& path, const BlockNames& names) {
    const bool has_it = std::any_of(names.types.begin(), names.types.end(),
                                    [&](const auto& type) { return has(type, dim_); });
    const bool illegal = is_illegal(names);
    if (!has_it && !illegal) return std::nullopt;
    std::string outer = path_around(path);
    while (!known_.contains(outer)) outer = path_around(outer);
    const Known around = known_.at(outer);
    const bool split = has_it && is_free(names);
    const bool scoped = split != around.split || (split && illegal && !around.scoped);
    known_[path] = {split, scoped || around.scoped};
    return scoped ? std::optional(split) : std::nullopt;
  }

 private:
  struct Known {
    bool split = false, scoped = false;  // over the axis; by a scope, its own or one around it
  };
  bool is_free(const BlockNames& names) const {
    return std::none_of(names.types.begin(), names.types.end(), [&](const auto& type) {
      return has(type, dim_) && std::any_of(taken_.begin(), taken_.end(),
                                            [&](const auto& one) { return has(type, one); });
    });
  }
  bool is_illegal(const BlockNames& names) const {
    const auto found = names.clashing.find(dim_);
    return found != names.clashing.end() &&
           std::any_of(taken_.begin(), taken_.end(),
                       [&](const auto& one) { return found->second.contains(one); });
  }
  const std::string dim_;
  const std::vector<std::string> taken_;  // names of the dimensions that have the axis
  std::map<std::string, Known> known_;
};

}  // namespace

NamedBlocks named_blocks(const Model& model, const std::vector<std::string>& dims) {
  NamedBlocks blocks;
  add_types(model, blocks);
  for (const auto& [one, other] : names_together(model))
    if (one != other && has(dims, one))
      for (const std::string& path : clashing_blocks(model, {one, other}))
        blocks[path].clashing[one].insert(other);
  return blocks;
}

std::optional<Choice> split_where_free(const Choice& choice, const std::string& dim,
                                       const std::string& axis, const NamedBlocks& blocks,
                                       const std::vector<Split>& given) {
  const std::vector<std::string> before = ruled_axes(choice, dim);
  if (has(before, axis)) return std::nullopt;
  std::vector<std::string> taken;
  for (const auto* rules : {&choice.rules, &given})
    for (const Split& rule : *rules)
      if (rule.dim != dim && has(rule.axes, axis)) taken.push_back(rule.dim);
  FreeBlocks free(dim, std::move(taken));
  const auto outside = blocks.find("");
  free.begin(outside == blocks.end() ? BlockNames{} : outside->second);
  const std::vector<std::string> after = axes_with(before, axis, choice.mesh);
  Choice found = choice;
  for (const auto& [path, names] : blocks) {  // a path comes after those around it
    if (path.empty()) continue;
    if (const std::optional<bool> split = free.add(path, names))
      found.blocks.push_back({path, {{dim, *split ? after : before}}});
  }
  if (found.blocks.empty()) return std::nullopt;
  if (free.general()) {
    std::erase_if(found.rules, [&](const Split& one) { return one.dim == dim; });
    found.rules.push_back({dim, after});
  }
  return found;
}

}  // namespace mtfc::plan
