#include "plan/space/ways_to_keep.h"

#include <algorithm>
#include <set>

namespace mtfc::plan {
namespace {

/// One that parameters of nine tenths of the elements have is enough.
constexpr double of_most = 0.9;

double elements_with(const std::vector<NamedParameters>& parameters, const std::string& name) {
  double sum = 0;
  for (const NamedParameters& some : parameters)
    if (some.dims.contains(name)) sum += some.elements;
  return sum;
}

/// Whether some parameter has both.
bool are_in_one(const Space& space, const std::string& a, const std::string& b) {
  return std::any_of(
      space.parameters.begin(), space.parameters.end(),
      [&](const NamedParameters& some) { return some.dims.contains(a) && some.dims.contains(b); });
}

/// Each axis alone, and all together.
std::vector<std::vector<std::string>> sets_of_axes(const Mesh& mesh) {
  std::vector<std::vector<std::string>> sets;
  std::vector<std::string> all;
  for (const MeshAxis& axis : mesh.axes) {
    sets.push_back({axis.name});
    all.push_back(axis.name);
  }
  if (all.size() > 1) sets.push_back(std::move(all));
  return sets;
}

/// Axes that split a dimension of an input, somewhere.
std::set<std::string> axes_of_inputs(const Space& space, const Choice& choice) {
  std::set<std::string> axes;
  const auto add = [&](const std::vector<Split>& splits) {
    for (const Split& split : splits)
      if (has(space.input_dims, split.dim)) axes.insert(split.axes.begin(), split.axes.end());
  };
  add(choice.rules);
  add(space.given_rules);
  for (const BlockSplit& block : choice.blocks) add(block.splits);
  return axes;
}

}  // namespace

std::vector<std::string> kept_together(const Space& space, const Mesh& mesh,
                                       const std::vector<std::string>& axes, const DimTable& dims) {
  std::vector<std::string> names;
  for (const std::string& name : space.kept_dims) {
    const std::vector<Split> splits = splits_of(space, name, mesh, dims);
    if (std::any_of(splits.begin(), splits.end(),
                    [&](const Split& split) { return split.axes == axes; }))
      names.push_back(name);
  }
  std::vector<NamedParameters> left = space.parameters;
  double all = 0;
  for (const NamedParameters& some : left) all += some.elements;
  std::vector<std::string> chosen;
  for (;;) {
    const std::string* best = nullptr;
    double most = 0;
    for (const std::string& name : names) {
      const double found = elements_with(left, name);
      if (found > most && std::none_of(chosen.begin(), chosen.end(), [&](const std::string& one) {
            return are_in_one(space, one, name);
          }))
        best = &name, most = found;
    }
    if (best == nullptr) break;
    if (chosen.empty() && most >= of_most * all) return {};
    chosen.push_back(*best);
    std::erase_if(left, [&](const NamedParameters& some) { return some.dims.contains(*best); });
  }
  return chosen.size() > 1 ? chosen : std::vector<std::string>{};
}

std::vector<KeptTogether> all_kept_together(const Space& space, const DimTable& dims) {
  std::vector<KeptTogether> all;
  const auto add = [&](const Mesh& mesh) {
    for (std::vector<std::string>& axes : sets_of_axes(mesh))
      if (auto names = kept_together(space, mesh, axes, dims); !names.empty())
        all.push_back({&mesh, std::move(axes), std::move(names)});
  };
  for (const Mesh& mesh : space.meshes) add(mesh);
  for (const StagedMesh& one : space.staged) add(one.mesh);
  return all;
}

std::vector<std::vector<Split>> ways_to_keep(const Space& space, const Choice& choice,
                                             const DimTable& dims) {
  const std::set<std::string> carry_examples = axes_of_inputs(space, choice);
  const auto carries = [&](const std::string& axis) { return carry_examples.contains(axis); };
  const auto goes = [&](const std::string& dim, const std::vector<std::string>& axes) {
    const std::vector<std::string> own = ruled_axes(choice, dim);
    return std::all_of(axes.begin(), axes.end(),
                       [&](const std::string& axis) { return carries(axis) || has(own, axis); });
  };
  std::vector<std::vector<std::string>> sets = sets_of_axes(choice.mesh);
  std::erase_if(sets, [&](const std::vector<std::string>& axes) {
    return std::none_of(axes.begin(), axes.end(), carries);
  });
  std::vector<std::vector<Split>> ways;
  for (const std::string& dim : space.kept_dims)
    for (Split& split : splits_of(space, dim, choice.mesh, dims))
      if (std::find(sets.begin(), sets.end(), split.axes) != sets.end() && goes(dim, split.axes))
        ways.push_back({std::move(split)});
  for (const std::vector<std::string>& axes : sets) {
    std::vector<Split> all;
    for (const std::string& dim : kept_together(space, choice.mesh, axes, dims))
      if (goes(dim, axes)) all.push_back({dim, axes});
    if (all.size() > 1) ways.push_back(std::move(all));
  }
  return ways;
}

}  // namespace mtfc::plan
