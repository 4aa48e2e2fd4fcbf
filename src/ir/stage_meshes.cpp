#include "ir/stage_meshes.h"

#include <algorithm>
#include <numeric>

namespace mtfc {

Mesh widest(const std::vector<Mesh>& meshes) {
  Mesh all = meshes.front();
  for (const Mesh& mesh : meshes)
    for (std::size_t i = 0; i < all.axes.size(); ++i)
      all.axes[i].size = std::max(all.axes[i].size, mesh.axes[i].size);
  return all;
}

const Mesh& mesh_of_stage(const Assignment& assignment, int stage) {
  return assignment.stage_meshes.empty() ? assignment.mesh
                                         : assignment.stage_meshes[static_cast<std::size_t>(stage)];
}

std::vector<Mesh> meshes_of(const Assignment& assignment) {
  if (!assignment.stage_meshes.empty()) return assignment.stage_meshes;
  const int stages = assignment.stages ? assignment.stages->count : 1;
  return {static_cast<std::size_t>(stages), assignment.mesh};
}

std::int64_t processors_of(const Assignment& assignment) {
  if (assignment.stage_meshes.empty())
    return assignment.mesh.processors() * (assignment.stages ? assignment.stages->count : 1);
  std::int64_t sum = 0;
  for (const Mesh& mesh : assignment.stage_meshes) sum += mesh.processors();
  return sum;
}

std::int64_t shards_over(const Assignment& assignment, const std::vector<AxisId>& axes) {
  if (assignment.stage_meshes.empty()) return assignment.mesh.size(axes);
  std::int64_t count = 1;
  for (const Mesh& mesh : assignment.stage_meshes)
    if (count <= largest_size) count = std::lcm(count, mesh.size(axes));
  return std::min(count, largest_size + 1);
}

Assignment of_stage(const Assignment& assignment, int stage) {
  Assignment own = assignment;
  if (assignment.stage_meshes.empty()) return own;
  own.mesh = mesh_of_stage(assignment, stage);
  own.stage_meshes.clear();
  const auto narrow = [&](std::vector<AxisId>& axes) {
    std::erase_if(axes, [&](AxisId axis) { return own.mesh.size(axis) == 1; });
  };
  for (Assignment::Entry& entry : own.dims) narrow(entry.axes);
  for (Assignment::Scope& scope : own.scopes)
    for (Assignment::Scope::Split& split : scope.splits) narrow(split.axes);
  for (auto& [path, kept] : own.kept)
    for (std::vector<AxisId>& axes : kept.sharding.split) narrow(axes);
  return own;
}

std::string to_string(const std::vector<Mesh>& meshes) {
  std::string text;
  for (std::size_t i = 0; i < meshes.front().axes.size(); ++i) {
    const MeshAxis& first = meshes.front().axes[i];
    text += (i == 0 ? "" : ", ") + first.name + "=" + std::to_string(first.size);
    if (std::all_of(meshes.begin(), meshes.end(),
                    [&](const Mesh& mesh) { return mesh.axes[i] == first; }))
      continue;
    for (std::size_t stage = 1; stage < meshes.size(); ++stage)
      text += "+" + std::to_string(meshes[stage].axes[i].size);
  }
  return text;
}

}  // namespace mtfc
