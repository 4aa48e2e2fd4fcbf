// A value of the program as the network sees it.
#pragma once
#include "bind/shard_view.h"
#include "comm/sharded.h"

namespace mtfc::bind {

runtime::net::ShardedTensor sharded_tensor(const Context& context, const ShardType& type);

/// Extents of the whole tensor, with the padding of its dimensions and without.
std::vector<std::int64_t> extents_of(const DimTable& dims, const TensorType& type);
std::vector<std::int64_t> stored_extents(const DimTable& dims, const TensorType& type);
/// Zeros in the global form of a type, with padding.
runtime::HostTensor host_tensor(const DimTable& dims, const TensorType& type);

}  // namespace mtfc::bind
