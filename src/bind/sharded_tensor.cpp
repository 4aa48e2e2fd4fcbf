#include "bind/sharded_tensor.h"

#include "bind/bind.h"

namespace mtfc::bind {
namespace {

std::vector<std::int64_t> sizes_of(const DimTable& dims, const std::vector<DimId>& list) {
  std::vector<std::int64_t> sizes;
  for (DimId dim : list) sizes.push_back(dims.size(dim));
  return sizes;
}

}  // namespace

runtime::net::ShardedTensor sharded_tensor(const Context& context, const ShardType& type) {
  return {type.tensor.dtype,
          extents_of(context.dims, type.tensor),
          stored_extents(context.dims, type.tensor),
          ShardView(context, type).extents(),
          slice_spec(context, type),
          assemble_spec(context, type),
          axis_numbers(varying_axes(type.sharding)),
          axis_numbers(type.sharding.partial),
          type.sharding.combine};
}

std::vector<std::int64_t> extents_of(const DimTable& dims, const TensorType& type) {
  return sizes_of(dims, type.dims);
}
std::vector<std::int64_t> stored_extents(const DimTable& dims, const TensorType& type) {
  return sizes_of(dims, stored_dims(dims, type.dims));
}

runtime::HostTensor host_tensor(const DimTable& dims, const TensorType& type) {
  return runtime::HostTensor::zeros(type.dtype, sizes_of(dims, type.dims));
}

}  // namespace mtfc::bind
