#include "support/mesh.h"

#include "support/check.h"
#include "support/text.h"

namespace mtfc {

std::optional<AxisId> Mesh::find(std::string_view wanted) const {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == wanted) return AxisId{static_cast<std::int32_t>(i)};
  return std::nullopt;
}

std::int64_t Mesh::processors() const {
  std::int64_t product = 1;
  for (const MeshAxis& axis : axes) product *= axis.size;
  return product;
}

Coordinates Mesh::coordinates(std::int64_t processor) const {
  Coordinates found(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    found[i] = processor % axes[i].size;
    processor /= axes[i].size;
  }
  MTFC_CHECK(processor == 0, "processor number outside the mesh");
  return found;
}

std::int64_t Mesh::processor(const Coordinates& coordinates) const {
  MTFC_CHECK(coordinates.size() == axes.size(), "one coordinate for each mesh axis");
  std::int64_t number = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) number = number * axes[i].size + coordinates[i];
  return number;
}

std::string to_string(const Mesh& mesh) {
  return joined(mesh.axes, ", ",
                [](const MeshAxis& axis) { return axis.name + "=" + std::to_string(axis.size); });
}

std::string to_string(const Mesh& mesh, const std::vector<AxisId>& axes) {
  return joined(axes, "+", [&](AxisId axis) { return mesh.name(axis); });
}

}  // namespace mtfc
