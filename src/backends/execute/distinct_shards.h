// The shards of a value that exist in one memory: one for each combination of coordinates on the
// axes along which it varies. By the law (ir/type.h) all processors that agree on those hold the
// same bits.
#pragma once
#include <vector>

#include "ir/type.h"
#include "support/row_major.h"

namespace mtfc::backends {

class DistinctShards {
 public:
  /// `axes` ascending; shards are numbered row-major over them.
  DistinctShards(const Mesh& mesh, std::vector<AxisId> axes);
  /// The one shard in the memory of a real rank: number 0, varying along no axis.
  static DistinctShards of_rank(const Mesh& mesh, const std::int64_t* coordinates);

  const std::vector<AxisId>& axes() const { return axes_; }
  std::int64_t count() const { return numbering_.count(); }
  /// The shard that the processor at `coordinates` holds.
  std::int64_t number(const std::int64_t* coordinates) const {
    return numbering_.number(coordinates);
  }
  /// Coordinates of one processor that holds it: 0 on all other axes. One entry per mesh axis.
  const std::int64_t* coordinates(std::int64_t shard) const {
    return coordinates_.data() + shard * mesh_axes_;
  }

 private:
  std::vector<AxisId> axes_;
  RowMajor numbering_;
  std::int64_t mesh_axes_ = 0;
  std::vector<std::int64_t> coordinates_;  // count * mesh axes
};

/// Every axis of the mesh: each processor holds its own shard.
std::vector<AxisId> all_axes(const Mesh& mesh);

/// The shards of one value, side by side in memory.
struct Buffer {
  std::byte* base = nullptr;
  std::int64_t stride = 0;  // bytes from one shard to the next
  const DistinctShards* shards = nullptr;

  std::byte* shard(std::int64_t number) const { return base + number * stride; }
  /// The shard of the processor at `coordinates`.
  std::byte* at(const std::int64_t* coordinates) const {
    return shard(shards->number(coordinates));
  }
  std::int64_t bytes() const { return stride * shards->count(); }
};

}  // namespace mtfc::backends
