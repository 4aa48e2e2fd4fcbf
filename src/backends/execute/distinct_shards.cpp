#include "backends/execute/distinct_shards.h"

#include <algorithm>

namespace mtfc::backends {

DistinctShards::DistinctShards(const Mesh& mesh, std::vector<AxisId> axes)
    : axes_(std::move(axes)),
      numbering_(mesh.sizes(), axis_numbers(axes_)),
      mesh_axes_(static_cast<std::int64_t>(mesh.axes.size())) {
  // One more entry, so that a mesh without axes has an address too.
  coordinates_.assign(static_cast<std::size_t>(count() * mesh_axes_ + 1), 0);
  for (std::int64_t shard = 0; shard < count(); ++shard)
    numbering_.locate(shard, coordinates_.data() + shard * mesh_axes_);
}

DistinctShards DistinctShards::of_rank(const Mesh& mesh, const std::int64_t* coordinates) {
  DistinctShards one(mesh, {});
  std::copy_n(coordinates, mesh.axes.size(), one.coordinates_.begin());
  return one;
}

std::vector<AxisId> all_axes(const Mesh& mesh) {
  std::vector<AxisId> axes;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    axes.push_back(AxisId{static_cast<std::int32_t>(i)});
  return axes;
}

}  // namespace mtfc::backends
