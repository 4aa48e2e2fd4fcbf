#include "support/mesh.h"

#include "support/row_major.h"
#include "support/text.h"

namespace mtfc {

std::int64_t Mesh::size(const std::vector<AxisId>& several) const {
  std::int64_t product = 1;
  for (AxisId axis : several) product *= size(axis);
  return product;
}

std::optional<AxisId> Mesh::find(std::string_view wanted) const {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == wanted) return AxisId{static_cast<std::int32_t>(i)};
  return std::nullopt;
}

std::int64_t Mesh::processors() const { return RowMajor(sizes()).count(); }

std::vector<std::int64_t> Mesh::sizes() const {
  std::vector<std::int64_t> sizes;
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  return sizes;
}

std::vector<std::int64_t> Mesh::coordinates(std::int64_t processor) const {
  std::vector<std::int64_t> found(axes.size());
  RowMajor(sizes()).locate(processor, found.data());
  return found;
}

std::vector<int> axis_numbers(const std::vector<AxisId>& axes) {
  std::vector<int> numbers;
  for (AxisId axis : axes) numbers.push_back(axis.index);
  return numbers;
}

std::string to_string(const Mesh& mesh) {
  return joined(mesh.axes, ", ",
                [](const MeshAxis& axis) { return axis.name + "=" + std::to_string(axis.size); });
}

std::string to_string(const Mesh& mesh, const std::vector<AxisId>& axes) {
  return joined(axes, "+", [&](AxisId axis) { return mesh.name(axis); });
}

std::string coordinates_text(const Mesh& mesh, const std::int64_t* coordinates) {
  std::string text;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    text += (i ? ", " : "") + mesh.axes[i].name + "=" + std::to_string(coordinates[i]);
  return text;
}

}  // namespace mtfc
