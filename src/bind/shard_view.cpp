#include "bind/shard_view.h"

#include "support/check.h"

namespace mtfc::backends {

ShardView::ShardView(const Context& context, const ShardType& type)
    : context_(context),
      type_(type),
      extents_(shard_extents(context.dims, context.mesh, type)),
      strides_(dense_strides(extents_)) {}

std::int64_t ShardView::stride(DimId dim) const {
  const int index = position(dims(), dim);
  return index < 0 ? 0 : strides_[static_cast<std::size_t>(index)];
}

std::int64_t ShardView::extent(DimId dim) const {
  const int index = position(dims(), dim);
  MTFC_CHECK(index >= 0, "extent of a dimension that the tensor lacks");
  return extents_[static_cast<std::size_t>(index)];
}

runtime::Offset ShardView::begin(DimId dim) const {
  // The block's number is row-major over the dimension's axes, major to minor.
  runtime::Offset offset;
  const std::vector<AxisId>& axes = split_of(type_, dim);
  Numbers blocks;
  for (const AxisId axis : axes) blocks.push_back(context_.mesh.size(axis));
  const Numbers strides = dense_strides(blocks);
  for (std::size_t i = 0; i < axes.size(); ++i)
    offset.terms.push_back({axes[i].index, strides[i] * extent(dim)});
  return offset;
}

}  // namespace mtfc::backends
