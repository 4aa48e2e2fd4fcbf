// A mesh of processors: named axes, row-major numbering, the last axis fastest.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/id.h"

namespace mtfc {

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

/// One coordinate per mesh axis.
using Coordinates = std::vector<std::int64_t>;

struct Mesh {
  std::vector<MeshAxis> axes;  // empty: one processor

  std::int64_t size(AxisId axis) const { return axes[axis.at()].size; }
  const std::string& name(AxisId axis) const { return axes[axis.at()].name; }
  std::optional<AxisId> find(std::string_view name) const;
  std::int64_t processors() const;
  Coordinates coordinates(std::int64_t processor) const;
  std::int64_t processor(const Coordinates& coordinates) const;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

/// "rows=2, cols=4"; empty for one processor.
std::string to_string(const Mesh& mesh);
/// "rows+cols"
std::string to_string(const Mesh& mesh, const std::vector<AxisId>& axes);

}  // namespace mtfc
