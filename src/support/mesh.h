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

struct Mesh {
  std::vector<MeshAxis> axes;  // empty: one processor

  std::int64_t size(AxisId axis) const { return axes[axis.at()].size; }
  /// Of several axes: the product, the number of shards that they make of a dimension.
  std::int64_t size(const std::vector<AxisId>& several) const;
  const std::string& name(AxisId axis) const { return axes[axis.at()].name; }
  std::optional<AxisId> find(std::string_view name) const;
  std::int64_t processors() const;
  /// Of the axes, as row_major.h takes them.
  std::vector<std::int64_t> sizes() const;
  /// Of a processor: one entry per axis.
  std::vector<std::int64_t> coordinates(std::int64_t processor) const;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

/// As row_major.h takes them.
std::vector<int> axis_numbers(const std::vector<AxisId>& axes);

/// "rows=2, cols=4"; empty for one processor.
std::string to_string(const Mesh& mesh);
/// "rows+cols"
std::string to_string(const Mesh& mesh, const std::vector<AxisId>& axes);
/// "rows=0, cols=1": of a processor.
std::string coordinates_text(const Mesh& mesh, const std::int64_t* coordinates);

}  // namespace mtfc
