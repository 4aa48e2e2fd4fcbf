#include "runtime/net/sharded.h"

#include <cstring>

#include "runtime/kernels.h"
#include "support/check.h"

namespace mtfc::runtime::net {

std::int64_t ShardedTensor::shard_bytes() const {
  auto bytes = static_cast<std::int64_t>(size_of(dtype));
  for (std::int64_t extent : shard_extents) bytes *= extent;
  return bytes;
}

HostTensor assembled(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard) {
  Group& group = groups.along(tensor.varying);
  const auto bytes = static_cast<std::size_t>(tensor.shard_bytes());
  std::vector<std::byte> shards(bytes * static_cast<std::size_t>(group.size));
  group.channel->all_gather(shard, shards.data(), static_cast<std::int64_t>(bytes));
  // One whole tensor for each part of a pending sum (else there is one), combined afterwards.
  const std::vector<std::int64_t>& sizes = groups.sizes();
  std::vector<HostTensor> whole;
  std::vector<std::int64_t> coordinates(sizes.size() + 1);
  for (int member = 0; member < group.size; ++member) {
    groups.coordinates_of(tensor.varying, member, coordinates.data());
    std::size_t part = 0;
    for (int axis : tensor.partial) {
      const auto i = static_cast<std::size_t>(axis);
      part = part * static_cast<std::size_t>(sizes[i]) + static_cast<std::size_t>(coordinates[i]);
    }
    while (whole.size() <= part) whole.push_back(HostTensor::zeros(tensor.dtype, tensor.extents));
    const void* from = shards.data() + static_cast<std::size_t>(member) * bytes;
    void* to = whole[part].data.data();
    const Call one{&from, &to, coordinates.data()};
    copy(pool, tensor.assemble, &one, 1);
  }
  if (whole.size() == 1) return std::move(whole[0]);
  std::vector<const void*> parts;
  for (const HostTensor& part : whole) parts.push_back(part.data.data());
  HostTensor total = HostTensor::zeros(tensor.dtype, tensor.extents);
  void* to = total.data.data();
  const Call one{parts.data(), &to, nullptr};
  combine(pool, tensor.dtype, tensor.combine, total.elements(), static_cast<int>(parts.size()),
          &one, 1);
  return total;
}

void take_shard(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& whole,
                void* shard) {
  MTFC_CHECK(whole.dtype == tensor.dtype && whole.extents == tensor.extents,
             "a variable is set to a tensor of another shape");
  if (!tensor.partial.empty() && tensor.combine == ReduceKind::sum) {
    std::memset(shard, 0, static_cast<std::size_t>(tensor.shard_bytes()));
    for (int axis : tensor.partial)
      if (groups.coordinates()[axis] != 0) return;
  }
  const void* x = whole.data.data();
  const Call one{&x, &shard, groups.coordinates()};
  copy(pool, tensor.slice, &one, 1);
}

}  // namespace mtfc::runtime::net
