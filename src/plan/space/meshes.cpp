#include "plan/space/meshes.h"

#include <string>

namespace mtfc::plan {
namespace {

/// From the outside inwards.
std::string axis_name(std::size_t number, std::size_t count) {
  if (count == 1) return "all";
  if (number == 0) return "outer";
  if (number + 1 == count) return "inner";
  return "middle" + (count == 3 ? "" : std::to_string(number));
}

void factorise(std::int64_t rest, int most_axes, std::vector<std::int64_t>& sizes,
               std::vector<Mesh>& meshes) {
  if (rest == 1) {
    Mesh mesh;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      mesh.axes.push_back({axis_name(i, sizes.size()), sizes[i]});
    meshes.push_back(std::move(mesh));
    return;
  }
  if (most_axes == 0) return;
  for (std::int64_t size = rest; size > 1; --size) {
    if (rest % size != 0) continue;
    sizes.push_back(size);
    factorise(rest / size, most_axes - 1, sizes, meshes);
    sizes.pop_back();
  }
}

}  // namespace

std::vector<Mesh> meshes_of(std::int64_t processors, int most_axes) {
  std::vector<Mesh> meshes;
  std::vector<std::int64_t> sizes;
  factorise(processors, most_axes, sizes, meshes);
  return meshes;
}

}  // namespace mtfc::plan
