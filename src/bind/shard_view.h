// A shard as extents and strides, and where it begins in the whole tensor.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/type.h"
#include "kernels/kernel.h"
#include "support/strides.h"

namespace mtfc::bind {

/// What turns names into numbers.
struct Context {
  const DimTable& dims;
  const Mesh& mesh;
};

using Numbers = std::vector<std::int64_t>;

/// A tile of a shard (ir/instr/tiled.h): one index of `dims`, and of other dimensions a range.
struct Tile {
  struct Range {
    DimId dim;
    std::int64_t begin = 0, extent = 0;
  };
  std::vector<DimId> dims;
  std::vector<Range> ranges;

  const Range* range(DimId dim) const;
};

/// The memory of a value on one processor, or of a tile of it: dense and row-major, unless a tile
/// lies in its shard.
class ShardView {
 public:
  ShardView(const Context& context, const ShardType& type);
  /// `alone`: the tile has memory of its own, else it lies in that of its shard. The tile must
  /// outlive the view.
  ShardView(const Context& context, const ShardType& type, const Tile& tile, bool alone);

  const std::vector<DimId>& dims() const { return type_.tensor.dims; }
  const Numbers& extents() const { return extents_; }
  const Numbers& strides() const { return strides_; }
  std::int64_t elements() const { return product(extents_); }
  DType dtype() const { return type_.tensor.dtype; }

  bool has(DimId dim) const { return position(dims(), dim) >= 0; }
  /// 0 where the tensor lacks the dimension: it is broadcast.
  std::int64_t stride(DimId dim) const;
  /// The tensor must have the dimension.
  std::int64_t extent(DimId dim) const;
  /// Position along `dim` of the first element in the whole tensor. The index of a tile is a
  /// coordinate behind those of the mesh.
  runtime::Offset begin(DimId dim) const;

 private:
  std::int64_t shard_extent(DimId dim) const;

  const Context& context_;
  const ShardType& type_;
  Numbers extents_, strides_;
  const Tile* tile_ = nullptr;
};

}  // namespace mtfc::bind
