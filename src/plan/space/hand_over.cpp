#include "plan/space/hand_over.h"

#include <algorithm>

#include "ir/glob.h"
#include "plan/space/block_paths.h"
#include "plan/space/examples.h"

namespace mtfc::plan {
namespace {

using DimNames = std::set<std::string>;

/// What a block and all that is nested in it take and make.
struct Contents {
  DimNames of_parameters;          // in any of them
  std::optional<DimNames> common;  // in every value with examples; none: there is no such value
};

DimNames names_of(const Model& model, const DimList& dims) {
  DimNames names;
  for (const DimId dim : dims) names.insert(model.dims[dim].name);
  return names;
}

/// By path, of each block and those around it.
class Collection {
 public:
  explicit Collection(const Model& model) : model_(model), examples_(example_dims(model)) {
    for (const Variable& variable : model.variables)
      if (variable.kind == Variable::Kind::parameter)
        for_all_around(path_around(general_path(variable.path)), [&](Contents& block) {
          block.of_parameters.merge(names_of(model, variable.type.dims));
        });
    for (const Operation& op : model.train.ops) {
      const std::string path = without_uses(general_path(op.role.block.str()));
      for (const ValueId id : op.operands) add(path, id);
      for (const ValueId id : op.results) add(path, id);
    }
  }
  const std::map<std::string, Contents>& blocks() const { return blocks_; }

 private:
  template <typename Change>
  void for_all_around(std::string path, const Change& change) {
    for (; !path.empty(); path = path_around(path)) change(blocks_[path]);
  }
  void add(const std::string& path, ValueId id) {
    const DimNames names = names_of(model_, model_.train.at(id).type.dims);
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return examples_.contains(name); }))
      return;
    for_all_around(path, [&](Contents& block) {
      if (!block.common) block.common = names;
      std::erase_if(*block.common, [&](const std::string& name) { return !names.contains(name); });
    });
  }

  const Model& model_;
  const DimNames examples_;
  std::map<std::string, Contents> blocks_;
};

/// Whether a block around it has the name too: its scope is the one to say it.
bool is_within(const std::map<std::string, DimNames>& blocks, std::string path,
               const std::string& name) {
  for (path = path_around(path); !path.empty(); path = path_around(path))
    if (const auto found = blocks.find(path); found != blocks.end() && found->second.contains(name))
      return true;
  return false;
}

bool is_in(const std::string& path, const std::string& block) {
  return path == block || is_nested(path, block);
}

/// The axes of a dimension in a block: as its scope says, or the innermost one around it that does.
std::vector<std::string> axes_in(const Choice& choice, const std::string& path,
                                 const std::string& dim) {
  const BlockSplit* innermost = nullptr;
  std::vector<std::string> axes = ruled_axes(choice, dim);
  for (const BlockSplit& block : choice.blocks)
    for (const Split& split : block.splits)
      if (split.dim == dim && is_in(path, block.glob) &&
          (innermost == nullptr || is_in(block.glob, innermost->glob)))
        innermost = &block, axes = split.axes;
  return axes;
}

/// By a general rule, or in some block that is not in this one.
bool splits_examples_elsewhere(const Choice& choice, const std::string& axis,
                               const std::string& path, const DimNames& examples) {
  const auto any_of = [&](const std::vector<Split>& splits) {
    return std::any_of(splits.begin(), splits.end(), [&](const Split& one) {
      return examples.contains(one.dim) && has(one.axes, axis);
    });
  };
  return any_of(choice.rules) ||
         std::any_of(choice.blocks.begin(), choice.blocks.end(), [&](const BlockSplit& block) {
           return !is_in(block.glob, path) && any_of(block.splits);
         });
}

std::vector<std::string> without(std::vector<std::string> axes,
                                 const std::vector<std::string>& others) {
  std::erase_if(axes, [&](const std::string& axis) { return has(others, axis); });
  return axes;
}

/// The dimensions of examples that a scope of the block has to rule, for them not to have the axes.
std::vector<Split> given_up(const Choice& choice, const std::string& path,
                            const std::vector<std::string>& axes, const DimNames& examples) {
  std::vector<Split> splits;
  for (const std::string& dim : examples) {
    const std::vector<std::string> before = axes_in(choice, path, dim);
    std::vector<std::string> left = without(before, axes);
    if (left != axes_in(choice, path_around(path), dim)) splits.push_back({dim, std::move(left)});
  }
  return splits;
}

/// Nothing within the block has them either.
void give_up_within(Choice& choice, const std::string& path, const std::vector<std::string>& axes,
                    const DimNames& examples) {
  for (BlockSplit& block : choice.blocks)
    if (is_in(block.glob, path))
      for (Split& split : block.splits)
        if (examples.contains(split.dim)) split.axes = without(std::move(split.axes), axes);
}

}  // namespace

SharedDims shared_dims(const Model& model) {
  DimNames inputs;
  for (const Input& input : model.inputs) inputs.merge(names_of(model, input.type.dims));
  SharedDims shared;
  const Collection collection(model);
  for (const auto& [path, contents] : collection.blocks()) {
    if (!contents.common) continue;
    for (const std::string& name : *contents.common)
      if (contents.of_parameters.contains(name) && !inputs.contains(name) &&
          !is_within(shared.dims, path, name))
        shared.dims[path].insert(name);
    if (shared.dims.contains(path))
      shared.of_parameters[path].assign(contents.of_parameters.begin(),
                                        contents.of_parameters.end());
  }
  return shared;
}

std::optional<Choice> hand_over(const Choice& choice, const std::string& dim,
                                const std::vector<std::string>& axes, const SharedDims& blocks,
                                const std::set<std::string>& examples) {
  Split gets{dim, ruled_axes(choice, dim)};
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (has(gets.axes, *axis)) return std::nullopt;
    gets.axes.push_back(*axis);
  }
  if (axes.size() == 1) gets.axes = axes_with(ruled_axes(choice, dim), axes[0], choice.mesh);
  Choice found = choice;
  bool any = false;
  for (const auto& [path, names] : blocks.dims) {
    const auto is_elsewhere = [&](const std::string& axis) {
      return splits_examples_elsewhere(choice, axis, path, examples);
    };
    if (!names.contains(dim) || !std::all_of(axes.begin(), axes.end(), is_elsewhere)) continue;
    any = true;
    BlockSplit scope{path, given_up(choice, path, axes, examples), blocks.of_parameters.at(path)};
    scope.splits.push_back(gets);
    give_up_within(found, path, axes, examples);
    std::erase_if(found.blocks, [&](const BlockSplit& one) { return one.glob == path; });
    found.blocks.push_back(std::move(scope));
  }
  if (!any) return std::nullopt;
  return found;
}

}  // namespace mtfc::plan
