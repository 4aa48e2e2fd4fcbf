#include "bind/shard_view.h"

#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::bind {

ShardView::ShardView(const Context& context, const ShardType& type)
    : context_(context),
      type_(type),
      extents_(shard_extents(context.dims, context.mesh, type)),
      strides_(dense_strides(extents_)) {}

const Tile::Range* Tile::range(DimId dim) const {
  for (const Range& range : ranges)
    if (range.dim == dim) return &range;
  return nullptr;
}

ShardView::ShardView(const Context& context, const ShardType& type, const Tile& tile, bool alone)
    : ShardView(context, type) {
  tile_ = &tile;
  for (std::size_t i = 0; i < dims().size(); ++i) {
    if (position(tile.dims, dims()[i]) >= 0) extents_[i] = 1;
    if (const Tile::Range* range = tile.range(dims()[i])) extents_[i] = range->extent;
  }
  if (alone) strides_ = dense_strides(extents_);
}

std::int64_t ShardView::stride(DimId dim) const {
  const int index = position(dims(), dim);
  return index < 0 ? 0 : strides_[static_cast<std::size_t>(index)];
}

std::int64_t ShardView::extent(DimId dim) const {
  const int index = position(dims(), dim);
  MTFC_CHECK(index >= 0, "extent of a dimension that the tensor lacks");
  return extents_[static_cast<std::size_t>(index)];
}

/// Of the whole shard, of which this may be a tile.
std::int64_t ShardView::shard_extent(DimId dim) const {
  const auto index = static_cast<std::size_t>(position(dims(), dim));
  const std::int64_t blocks = shard_count(context_.mesh, type_.sharding, index);
  return ceil_div(context_.dims.size(dim), blocks);
}

runtime::Offset ShardView::begin(DimId dim) const {
  // The block's number is row-major over the dimension's axes, major to minor.
  runtime::Offset offset;
  const std::vector<AxisId>& axes = split_of(type_, dim);
  Numbers blocks;
  for (const AxisId axis : axes) blocks.push_back(context_.mesh.size(axis));
  const Numbers strides = dense_strides(blocks);
  for (std::size_t i = 0; i < axes.size(); ++i)
    offset.terms.push_back({axes[i].index, strides[i] * shard_extent(dim)});
  if (tile_ == nullptr) return offset;
  if (const int tiled = position(tile_->dims, dim); tiled >= 0)
    offset.terms.push_back({static_cast<int>(context_.mesh.axes.size()) + tiled, 1});
  if (const Tile::Range* range = tile_->range(dim)) offset.base = range->begin;
  return offset;
}

}  // namespace mtfc::bind
