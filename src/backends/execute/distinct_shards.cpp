#include "backends/execute/distinct_shards.h"

#include <algorithm>

namespace mtfc::backends {

Copies::Copies(const Mesh& mesh, std::vector<AxisId> axes)
    : axes_(std::move(axes)), mesh_axes_(static_cast<std::int64_t>(mesh.axes.size())) {
  for (AxisId axis : axes_) {
    sizes_.push_back(mesh.size(axis));
    count_ *= sizes_.back();
  }
  // One more entry, so that a mesh without axes has an address too.
  coordinates_.assign(static_cast<std::size_t>(count_ * mesh_axes_ + 1), 0);
  for (std::int64_t copy = 0; copy < count_; ++copy) {
    std::int64_t rest = copy;
    for (std::size_t i = axes_.size(); i-- > 0;) {
      const auto place = copy * mesh_axes_ + axes_[i].index;
      coordinates_[static_cast<std::size_t>(place)] = rest % sizes_[i];
      rest /= sizes_[i];
    }
  }
}

Copies Copies::of_processor(const Mesh& mesh, const std::int64_t* coordinates) {
  Copies one(mesh, {});
  std::copy_n(coordinates, mesh.axes.size(), one.coordinates_.begin());
  return one;
}

std::int64_t Copies::number(const std::int64_t* coordinates) const {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i)
    number = number * sizes_[i] + coordinates[axes_[i].index];
  return number;
}

std::vector<AxisId> all_axes(const Mesh& mesh) {
  std::vector<AxisId> axes;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    axes.push_back(AxisId{static_cast<std::int32_t>(i)});
  return axes;
}

}  // namespace mtfc::backends
