#include "plan/space/space.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/glob.h"
#include "ir/iterations.h"
#include "ir/scope_finder.h"
#include "layout/assignment.h"
#include "layout/named_tensors.h"
#include "layout/rules.h"
#include "plan/space/clashes.h"
#include "plan/space/examples.h"
#include "plan/space/hand_over.h"
#include "support/rounding.h"

namespace mtfc::plan {
namespace {

bool is_ruled(const Layout& layout, const std::string& dim) {
  return std::any_of(layout.rules.begin(), layout.rules.end(),
                     [&](const LayoutRule& rule) { return lowering::matches(rule.pattern, dim); });
}
/// Whether anything of the model is in it.
bool concerns(const LayoutScope& scope, const Model& model) {
  if (scope.kind == LayoutScope::Kind::param)
    return std::any_of(model.variables.begin(), model.variables.end(), [&](const Variable& v) {
      return v.kind == Variable::Kind::parameter && glob_matches(scope.glob, v.path);
    });
  ScopeGlob glob(scope.kind, scope.glob);
  return std::any_of(model.train.ops.begin(), model.train.ops.end(), [&](const Operation& op) {
    return glob.depth(op.role.block, result_name(model.train, op)) > 0;
  });
}
bool has_setting(const Layout& layout, const std::string& name) {
  return std::any_of(layout.settings.begin(), layout.settings.end(),
                     [&](const auto& setting) { return setting.first == name; });
}

/// Those with the same names as one.
std::vector<NamedParameters> parameters_of(const Model& model) {
  std::map<std::set<std::string>, double> found;
  for (const Variable& variable : model.variables) {
    if (variable.kind != Variable::Kind::parameter) continue;
    std::set<std::string> names;
    double elements = 1;
    for (const DimId dim : variable.type.dims) {
      names.insert(model.dims[dim].name);
      elements *= static_cast<double>(model.dims.size(dim));
    }
    found[names] += elements;
  }
  std::vector<NamedParameters> all;
  for (const auto& [names, elements] : found) all.push_back({names, elements});
  return all;
}

/// The general rules of a layout, by the names of dimensions.
std::vector<Split> rules_by_name(const Layout& layout, const DimTable& dims) {
  std::vector<Split> rules;
  std::set<std::string> seen;
  const Mesh any;
  const auto candidates = lowering::find_candidates(layout.rules, any, dims);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].chosen >= 0 && seen.insert(dims.all()[i].name).second)
      rules.push_back(
          {dims.all()[i].name, layout.rules[static_cast<std::size_t>(candidates[i].chosen)].axes});
  return rules;
}

/// Whether all sizes of the name stay below twice as much with what is padded.
bool takes_padding(const DimTable& dims, const std::string& name, std::int64_t parts) {
  return std::all_of(dims.all().begin(), dims.all().end(), [&](const Dim& dim) {
    return dim.name != name || round_up(dim.size, parts) < 2 * dim.size;
  });
}

bool divides(const DimTable& dims, const std::string& name, std::int64_t parts) {
  return std::all_of(dims.all().begin(), dims.all().end(),
                     [&](const Dim& dim) { return dim.name != name || dim.size % parts == 0; });
}

/// Adds one dimension after the other to a list of rules.
class Enumeration {
 public:
  Enumeration(const Space& space, const Mesh& mesh, const DimTable& dims, std::size_t most)
      : space_(space), most_(most) {
    for (const std::string& dim : space.dims) ways_.push_back(splits_of(space, dim, mesh, dims));
  }
  std::optional<std::vector<std::vector<Split>>> run() {
    add(0);
    if (found_.size() > most_) return std::nullopt;
    return std::move(found_);
  }

 private:
  void add(std::size_t number) {
    if (found_.size() > most_) return;
    if (number == ways_.size()) {
      found_.push_back(rules_);
      return;
    }
    add(number + 1);
    for (const Split& split : ways_[number]) {
      if (!goes_with(space_, split, rules_)) continue;
      rules_.push_back(split);
      add(number + 1);
      rules_.pop_back();
    }
  }
  const Space& space_;
  const std::size_t most_;
  std::vector<std::vector<Split>> ways_;  // by dimension
  std::vector<Split> rules_;
  std::vector<std::vector<Split>> found_;
};

/// Each name once, in the order of the table.
void find_dims(Space& space, const Model& model) {
  const std::vector<bool> used = lowering::used_dims(model);
  const std::set<std::string> of_parameters = example_names(model).of_parameters;
  const bool keeps = !has_scope(space.given, LayoutScope::Kind::param);
  std::set<std::string> inputs, seen;
  for (const Input& input : model.inputs)
    for (const DimId dim : input.type.dims) inputs.insert(model.dims[dim].name);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Dim& dim = model.dims.all()[i];
    if (!used[i] || dim.size == 1 || is_alias_dim(dim) || !seen.insert(dim.name).second) continue;
    if (inputs.contains(dim.name)) space.input_dims.push_back(dim.name);
    if (keeps && of_parameters.contains(dim.name)) space.kept_dims.push_back(dim.name);
    if (!is_ruled(space.given, dim.name)) space.dims.push_back(dim.name);
  }
  for (std::size_t i = 0; i < space.dims.size(); ++i) space.numbers[space.dims[i]] = i;
}

void find_dims_of_scopes(Space& space, const Model& model) {
  std::set<std::string> shared;
  for (const auto& [path, some] : shared_dims(model).dims) shared.insert(some.begin(), some.end());
  for (const std::string& name : space.dims) {
    if (has(space.input_dims, name)) space.scope_dims.push_back(name);
    if (shared.contains(name)) space.handed_dims.push_back(name);
  }
}

std::vector<std::string> blocks_of(const Model& model) {
  std::set<std::string> blocks;
  for (const Operation& op : model.train.ops)
    if (std::string path = without_uses(general_path(op.role.block.str())); !path.empty())
      blocks.insert(std::move(path));
  return {blocks.begin(), blocks.end()};
}

/// Which dimensions may not share an axis, and which axes rules that were given leave to none.
void find_clashes(Space& space, const Model& model, bool has_scopes) {
  space.clash.assign(space.dims.size(), std::vector<bool>(space.dims.size()));
  space.taken.resize(space.dims.size());
  const auto pairs = names_together(model);
  for (std::size_t i = 0; i < space.dims.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const bool alone = i == j;
      if (!alone && !pairs.contains({space.dims[i], space.dims[j]})) continue;
      const std::vector<std::string> both = {space.dims[i], space.dims[j]};
      const bool found = clashes(model, alone ? std::vector{space.dims[i]} : both) &&
                         (alone || !(space.clash[i][i] || space.clash[j][j]));
      space.clash[i][j] = space.clash[j][i] = found;
    }
  if (has_scopes) return;
  for (const Split& given : space.given_rules)
    for (std::size_t i = 0; i < space.dims.size(); ++i)
      if (pairs.contains({space.dims[i], given.dim}) && clashes(model, {space.dims[i], given.dim}))
        space.taken[i].insert(given.axes.begin(), given.axes.end());
}

}  // namespace

std::vector<Split> splits_of(const Space& space, const std::string& dim, const Mesh& mesh,
                             const DimTable& dims) {
  std::vector<Split> found;
  for (std::uint64_t set = 1; set < std::uint64_t{1} << mesh.axes.size(); ++set) {
    Split split{dim, {}};
    std::int64_t parts = 1;
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      split.axes.push_back(mesh.axes[i].name);
      parts *= mesh.axes[i].size;
    }
    if (space.pads ? takes_padding(dims, dim, parts) : divides(dims, dim, parts))
      found.push_back(std::move(split));
  }
  return found;
}

bool goes_with(const Space& space, const Split& split, const std::vector<Split>& rules) {
  const std::size_t number = space.numbers.at(split.dim);
  const std::vector<bool>& clashes = space.clash[number];
  if (clashes[number]) return false;
  if (std::any_of(split.axes.begin(), split.axes.end(),
                  [&](const std::string& axis) { return space.taken[number].contains(axis); }))
    return false;
  return std::none_of(rules.begin(), rules.end(), [&](const Split& rule) {
    return clashes[space.numbers.at(rule.dim)] &&
           std::any_of(split.axes.begin(), split.axes.end(),
                       [&](const std::string& axis) { return has(rule.axes, axis); });
  });
}

bool counts_iterations(const Layout& layout) {
  return std::any_of(layout.settings.begin(), layout.settings.end(), [](const auto& setting) {
    return setting.first == "recompute" && setting.second.find(':') != std::string::npos;
  });
}

std::vector<StagedMesh> staged_meshes_of(std::int64_t processors, int most_axes, int most_stages) {
  std::vector<StagedMesh> all;
  for (int stages = 2; stages <= most_stages && stages <= processors; ++stages)
    if (processors % stages == 0)
      for (Mesh& mesh : meshes_of(processors / stages, most_axes))
        all.push_back({stages, std::move(mesh)});
  return all;
}

Space space_of(const Model& model, std::vector<Mesh> meshes, Layout given, bool pads) {
  Space space;
  space.pads = pads;
  space.meshes = std::move(meshes);
  space.given = std::move(given);
  // For other models.
  std::erase_if(space.given.scopes, [&](const LayoutScope& scope) {
    return scope.optional && !concerns(scope, model);
  });
  space.given_rules = rules_by_name(space.given, model.dims);
  const bool has_scopes = has_scope(space.given, LayoutScope::Kind::block) ||
                          has_scope(space.given, LayoutScope::Kind::value);
  find_dims(space, model);
  if (!has_scopes) find_dims_of_scopes(space, model);
  find_clashes(space, model, has_scopes);
  space.parameters = parameters_of(model);
  space.blocks = blocks_of(model);
  space.updates = !model.settings.update && !has_setting(space.given, "update");
  if (model.recompute_parents.size() == 1 && !has_setting(space.given, "recompute"))
    space.recompute_iterations = most_iterations(model.train);
  space.recompute = space.recompute_iterations > 0;
  space.gathers = !has_setting(space.given, "gather");
  return space;
}

std::int64_t processors_of(const Space& space) {
  if (!space.meshes.empty()) return space.meshes.front().processors();
  if (space.staged.empty()) return 1;  // there is no layout
  return space.staged.front().stages * space.staged.front().mesh.processors();
}

std::optional<std::vector<std::vector<Split>>> legal_rules(const Space& space, const Mesh& mesh,
                                                           const DimTable& dims, std::size_t most) {
  return Enumeration(space, mesh, dims, most).run();
}

std::vector<std::string> undivided_dims(const Space& space, const DimTable& dims) {
  std::set<std::int64_t> sizes;
  const auto add = [&](const Mesh& mesh) {
    for (const MeshAxis& axis : mesh.axes) sizes.insert(axis.size);
    sizes.insert(mesh.processors());
  };
  for (const Mesh& mesh : space.meshes) add(mesh);
  for (const StagedMesh& one : space.staged) add(one.mesh);
  std::vector<std::string> found;
  if (space.pads) return found;
  for (const std::string& dim : space.dims)
    if (std::any_of(sizes.begin(), sizes.end(),
                    [&](std::int64_t size) { return !divides(dims, dim, size); }))
      found.push_back(dim);
  return found;
}

}  // namespace mtfc::plan
