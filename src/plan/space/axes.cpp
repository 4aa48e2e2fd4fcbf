#include "plan/space/axes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace mtfc::plan {
namespace {

/// By an axis of one mesh: those of another that stand for it.
using Names = std::map<std::string, std::vector<std::string>>;

/// Axis `at` of `more` as the product of this one and the next, if `fewer` is the same else.
bool is_joined(const Mesh& more, const Mesh& fewer, std::size_t at) {
  if (more.axes.size() != fewer.axes.size() + 1) return false;
  for (std::size_t i = 0; i < fewer.axes.size(); ++i) {
    const std::int64_t size = i < at   ? more.axes[i].size
                              : i > at ? more.axes[i + 1].size
                                       : more.axes[i].size * more.axes[i + 1].size;
    if (fewer.axes[i].size != size) return false;
  }
  return true;
}

void rename(Split& split, const Names& names) {
  std::vector<std::string> axes;
  for (const std::string& axis : split.axes)
    if (const auto found = names.find(axis); found != names.end())
      axes.insert(axes.end(), found->second.begin(), found->second.end());
  split.axes = std::move(axes);
}

Choice moved(Choice choice, const Mesh& mesh, const Names& names) {
  choice.mesh = mesh;
  for (std::vector<Split>* splits : {&choice.rules, &choice.kept}) {
    for (Split& split : *splits) rename(split, names);
    std::erase_if(*splits, [](const Split& split) { return split.axes.empty(); });
  }
  return choice;
}

/// What stands for axes but `at` and the next one, which `there` is for.
Names names_beside(const Mesh& from, const Mesh& to, std::size_t at, std::size_t width) {
  Names names;
  for (std::size_t i = 0; i < from.axes.size(); ++i) {
    if (i >= at && i < at + width) continue;
    const std::size_t there = i < at ? i : i + to.axes.size() - from.axes.size();
    names[from.axes[i].name] = {to.axes[there].name};
  }
  return names;
}

void add_on(const Choice& choice, const Mesh& mesh, std::vector<Choice>& all) {
  const Mesh& from = choice.mesh;
  for (std::size_t at = 0; at + 1 < from.axes.size(); ++at) {
    if (!is_joined(from, mesh, at)) continue;
    for (const std::size_t kept : {at, at + 1}) {
      Names names = names_beside(from, mesh, at, 2);
      names[from.axes[kept].name] = {mesh.axes[at].name};
      all.push_back(moved(choice, mesh, names));
    }
  }
  for (std::size_t at = 0; at + 1 < mesh.axes.size(); ++at) {
    if (!is_joined(mesh, from, at)) continue;
    Names names = names_beside(from, mesh, at, 1);
    names[from.axes[at].name] = {mesh.axes[at].name, mesh.axes[at + 1].name};
    all.push_back(moved(choice, mesh, names));
  }
}

}  // namespace

std::vector<Choice> with_other_axes(const Space& space, const Choice& choice) {
  std::vector<Choice> all;
  if (!choice.pipeline)
    for (const Mesh& mesh : space.meshes) add_on(choice, mesh, all);
  else
    for (const StagedMesh& one : space.staged)
      if (one.stages == choice.pipeline->stages) add_on(choice, one.mesh, all);
  return all;
}

}  // namespace mtfc::plan
