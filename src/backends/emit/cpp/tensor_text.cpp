#include "backends/emit/cpp/tensor_text.h"

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/spec_text.h"
#include "bind/bind.h"
#include "bind/bind_rules.h"

namespace mtfc::backends {
namespace {

std::string axes_numbers(const std::vector<AxisId>& axes) {
  std::vector<int> list;
  for (AxisId axis : axes) list.push_back(axis.index);
  return numbers(list);
}

}  // namespace

std::string tensor_text(const Context& context, const ShardType& type, int indent) {
  Numbers whole, stored;
  for (DimId dim : type.tensor.dims) whole.push_back(context.dims.size(dim));
  for (DimId dim : stored_dims(context.dims, type.tensor.dims))
    stored.push_back(context.dims.size(dim));
  return block("",
               {".dtype = " + dtype_text(type.tensor.dtype), ".extents = " + numbers(whole),
                ".stored_extents = " + numbers(stored),
                ".shard_extents = " + numbers(ShardView(context, type).extents()),
                ".slice = " + copy_text(slice_spec(context, type)),
                ".assemble = " + copy_text(assemble_spec(context, type)),
                ".varying = " + axes_numbers(varying_axes(type.sharding)),
                ".partial = " + axes_numbers(type.sharding.partial),
                ".combine = " + reduce_kind_text(type.sharding.combine)},
               indent);
}

}  // namespace mtfc::backends
