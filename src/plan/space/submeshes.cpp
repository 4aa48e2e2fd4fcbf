#include "plan/space/submeshes.h"

#include <algorithm>

#include "plan/space/meshes.h"

namespace mtfc::plan {
namespace {

void factorise(std::int64_t rest, std::size_t axis, Mesh& mesh, std::vector<Mesh>& all) {
  if (axis + 1 == mesh.axes.size()) {
    mesh.axes[axis].size = rest;
    all.push_back(mesh);
    return;
  }
  for (std::int64_t size = 1; size <= rest; ++size) {
    if (rest % size != 0) continue;
    mesh.axes[axis].size = size;
    factorise(rest / size, axis + 1, mesh, all);
  }
}

template <typename Change>
void change_axes(Choice& choice, const Change& change) {
  for (std::vector<Split>* splits : {&choice.rules, &choice.kept})
    for (Split& split : *splits) change(split.axes);
  for (BlockSplit& block : choice.blocks)
    for (Split& split : block.splits) change(split.axes);
}

/// Whether a general rule or one of a block splits it.
bool is_split(const Choice& choice, const std::string& dim) {
  const auto splits_it = [&](const Split& split) {
    return split.dim == dim && !split.axes.empty();
  };
  return std::any_of(choice.rules.begin(), choice.rules.end(), splits_it) ||
         std::any_of(choice.blocks.begin(), choice.blocks.end(), [&](const BlockSplit& block) {
           return std::any_of(block.splits.begin(), block.splits.end(), splits_it);
         });
}

/// Takes out rules over no axes. In a scope they stay where they take the place of another: over an
/// axis of size 1 as well, what the scope is of is not split.
void drop_empty(Choice& choice) {
  const Choice all = choice;
  const auto is_empty = [](const Split& split) { return split.axes.empty(); };
  const auto is_needless = [&](const Split& split) {
    return is_empty(split) && !is_split(all, split.dim);
  };
  std::erase_if(choice.rules, is_empty);
  for (BlockSplit& block : choice.blocks) std::erase_if(block.splits, is_needless);
  std::erase_if(choice.blocks, [](const BlockSplit& block) { return block.splits.empty(); });
  std::erase_if(choice.kept, is_needless);
}

}  // namespace

std::vector<std::int64_t> submesh_sizes(std::int64_t processors, const predict::Machine& machine) {
  constexpr std::int64_t any = 9;
  const std::int64_t node = machine.levels.empty() ? 1 : machine.levels.front().size;
  std::vector<std::int64_t> sizes;
  if (processors < any) {
    for (std::int64_t size = 1; size < processors; ++size) sizes.push_back(size);
    return sizes;
  }
  for (std::int64_t size = 1; size < std::min(node, processors); size *= 2) sizes.push_back(size);
  for (std::int64_t size = node; size > 1 && size < processors; size += node) sizes.push_back(size);
  return sizes;
}

Mesh axes_of_submeshes(int axes) {
  // With so many factors above 1 there is one such mesh.
  Mesh mesh = meshes_of(std::int64_t{1} << axes, axes).back();
  for (MeshAxis& axis : mesh.axes) axis.size = 1;
  return mesh;
}

std::vector<Mesh> submeshes_of(const std::vector<std::int64_t>& sizes, int axes) {
  std::vector<Mesh> all;
  Mesh mesh = axes_of_submeshes(axes);
  for (const std::int64_t size : sizes) factorise(size, 0, mesh, all);
  return all;
}

Submeshes submeshes_of(std::int64_t processors, int axes, int most_stages,
                       const predict::Machine& machine) {
  Submeshes all{processors, most_stages, axes, submesh_sizes(processors, machine), {}};
  if (can_deal_out(all, 1)) all.meshes = submeshes_of(all.sizes, axes);
  return all;
}

bool can_deal_out(const Submeshes& submeshes, std::int64_t iterations) {
  constexpr double most = 2e7;
  const auto processors = static_cast<double>(submeshes.processors);
  const auto all = static_cast<double>(iterations);
  return std::min<double>(submeshes.most_stages, processors) * all * all * processors *
             static_cast<double>(submeshes.sizes.size()) <=
         most;
}

Choice on_submesh(Choice choice, const Mesh& mesh) {
  change_axes(choice, [&](std::vector<std::string>& axes) {
    std::erase_if(axes, [&](const std::string& axis) { return mesh.size(*mesh.find(axis)) == 1; });
  });
  drop_empty(choice);
  choice.mesh = mesh;
  std::erase_if(choice.mesh.axes, [](const MeshAxis& axis) { return axis.size == 1; });
  return choice;
}

Choice decided(Choice choice, const Pipeline& cut) {
  choice.pipeline = cut;
  if (cut.meshes.empty() ||
      std::any_of(cut.meshes.begin(), cut.meshes.end(),
                  [&](const Mesh& mesh) { return !(mesh == cut.meshes.front()); }))
    return choice;
  choice = on_submesh(std::move(choice), cut.meshes.front());
  choice.pipeline->submeshes = false;
  choice.pipeline->meshes.clear();
  return choice;
}

Choice with_open_stages(Choice choice, int axes) {
  const Mesh own = choice.mesh, all = axes_of_submeshes(axes);
  const std::size_t before = all.axes.size() - own.axes.size();
  change_axes(choice, [&](std::vector<std::string>& names) {
    for (std::string& name : names) name = all.axes[before + own.find(name)->at()].name;
  });
  choice.mesh = all;
  choice.pipeline->submeshes = true;
  return uncut(std::move(choice));
}

}  // namespace mtfc::plan
