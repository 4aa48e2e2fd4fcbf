// Data that stays on its processor: rearrange, slice, pad, shard, concat.
#include "bind/bind_rules.h"
#include "support/check.h"

namespace mtfc::bind {
namespace {

runtime::CopySpec empty_copy(const ShardView& x, const ShardView& y) {
  runtime::CopySpec copy;
  copy.element_size = size_of(x.dtype());
  copy.y_size = y.elements();
  return copy;
}

void add_loop(runtime::CopySpec& copy, std::int64_t extent, std::int64_t x, std::int64_t y) {
  copy.extents.push_back(extent);
  copy.x_strides.push_back(x);
  copy.y_strides.push_back(y);
}

const DimGroup* group_making(const Rearrange& rearrange, DimId dim) {
  for (const DimGroup& group : rearrange.groups)
    if (contains(group.to, dim)) return &group;
  return nullptr;
}

/// Elements of the shard's dims that follow number `index` in a list, major to minor.
std::int64_t inner_elements(const ShardView& shard, const DimList& list, std::size_t index) {
  std::int64_t elements = 1;
  for (std::size_t i = index + 1; i < list.size(); ++i) elements *= shard.extent(list[i]);
  return elements;
}

/// True if the copy would leave every element where it is.
bool is_identity(const runtime::CopySpec& copy) {
  for (std::size_t i = 0; i < copy.extents.size(); ++i)
    if (copy.extents[i] != 1 && copy.x_strides[i] != copy.y_strides[i]) return false;
  return true;
}

}  // namespace

Bound bind_rule(const Rearrange& rearrange, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  runtime::CopySpec copy = empty_copy(x, y);
  MTFC_CHECK(x.elements() == y.elements(), "a view changes the size of a shard");
  for (DimId dim : y.dims()) {
    const DimGroup* group = group_making(rearrange, dim);
    if (!group) {
      add_loop(copy, y.extent(dim), x.stride(dim), y.stride(dim));
    } else if (group->to.size() > 1) {  // split: dim is one part of a larger one
      MTFC_CHECK(group->from.size() == 1, "a view with several dimensions on both sides");
      const auto index = static_cast<std::size_t>(position(group->to, dim));
      MTFC_CHECK(index == 0 || split_of(*shards.result_types[0], dim).empty(),
                 "only the major part of a split dimension can be sharded");
      const std::int64_t step = x.stride(group->from[0]) * inner_elements(y, group->to, index);
      add_loop(copy, y.extent(dim), step, y.stride(dim));
    } else {  // rename or merge
      for (std::size_t i = 0; i < group->from.size(); ++i) {
        MTFC_CHECK(i == 0 || split_of(*shards.operand_types[0], group->from[i]).empty(),
                   "only the major part of a merged dimension can be sharded");
        const std::int64_t step = y.stride(dim) * inner_elements(x, group->from, i);
        add_loop(copy, x.extent(group->from[i]), x.stride(group->from[i]), step);
      }
    }
  }
  if (is_identity(copy)) return Alias{};
  return copy;
}

Bound bind_rule(const Slice& slice, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  MTFC_CHECK(split_of(*shards.operand_types[0], slice.dim).empty() &&
                 split_of(*shards.result_types[0], slice.fresh).empty(),
             "a slice along a sharded dimension");
  runtime::CopySpec copy = empty_copy(x, y);
  for (DimId dim : y.dims())
    add_loop(copy, y.extent(dim), x.stride(dim == slice.fresh ? slice.dim : dim), y.stride(dim));
  copy.x_base.base = slice.begin * x.stride(slice.dim);
  return copy;
}

Bound bind_rule(const Pad& pad, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  MTFC_CHECK(split_of(*shards.operand_types[0], pad.fresh).empty() &&
                 split_of(*shards.result_types[0], pad.dim).empty(),
             "padding along a sharded dimension");
  runtime::CopySpec copy = empty_copy(x, y);
  for (DimId dim : y.dims()) {
    const DimId source = dim == pad.dim ? pad.fresh : dim;
    add_loop(copy, x.extent(source), x.stride(source), y.stride(dim));
  }
  copy.y_base.base = pad.begin * y.stride(pad.dim);
  copy.zero_y_first = true;
  return copy;
}

Bound bind_rule(const Shard& shard, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  runtime::CopySpec copy = empty_copy(x, y);
  for (DimId dim : y.dims()) add_loop(copy, y.extent(dim), x.stride(dim), y.stride(dim));
  copy.x_base.terms = {{shard.axis.index, y.extent(shard.dim) * x.stride(shard.dim)}};
  return copy;
}

Bound bind_rule(const Concat& concat, const Shards& shards) {
  const ShardView& y = shards.results.at(0);
  CopyList copies;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < shards.operands.size(); ++i) {
    const ShardView& x = shards.operands[i];
    const DimId part = concat.operand_dims.empty() ? DimId{} : concat.operand_dims[i];
    runtime::CopySpec copy;
    copy.element_size = size_of(x.dtype());
    copy.y_size = y.elements();
    for (DimId dim : y.dims()) {
      if (dim == concat.dim && !part.valid()) continue;
      const DimId source = dim == concat.dim ? part : dim;
      copy.extents.push_back(x.extent(source));
      copy.x_strides.push_back(x.stride(source));
      copy.y_strides.push_back(y.stride(dim));
    }
    copy.y_base.base = begin * y.stride(concat.dim);
    begin += part.valid() ? x.extent(part) : 1;
    copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace mtfc::bind
