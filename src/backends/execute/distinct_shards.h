// Which copies of a value exist: one for each combination of coordinates on the axes along which
// it varies. By the law (ir/type.h) all processors that agree on those hold the same bits.
#pragma once
#include <vector>

#include "ir/type.h"

namespace mtfc::backends {

class Copies {
 public:
  /// `axes` ascending; copies are numbered row-major over them.
  Copies(const Mesh& mesh, std::vector<AxisId> axes);
  /// The one copy that a real processor holds: number 0, whoever asks. It varies along no axis.
  static Copies of_processor(const Mesh& mesh, const std::int64_t* coordinates);

  const std::vector<AxisId>& axes() const { return axes_; }
  std::int64_t count() const { return count_; }
  /// The copy that the processor at `coordinates` holds.
  std::int64_t number(const std::int64_t* coordinates) const;
  /// Coordinates of one processor that holds it: 0 on all other axes. One entry per mesh axis.
  const std::int64_t* coordinates(std::int64_t copy) const {
    return coordinates_.data() + copy * mesh_axes_;
  }

 private:
  std::vector<AxisId> axes_;
  std::vector<std::int64_t> sizes_;
  std::int64_t mesh_axes_ = 0;
  std::int64_t count_ = 1;
  std::vector<std::int64_t> coordinates_;  // count * mesh axes
};

/// Every axis of the mesh: each processor holds its own.
std::vector<AxisId> all_axes(const Mesh& mesh);

}  // namespace mtfc::backends
