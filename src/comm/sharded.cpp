#include "comm/sharded.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "kernels/combine.h"
#include "support/check.h"
#include "support/strides.h"

namespace mtfc::runtime::net {

std::int64_t ShardedTensor::shard_bytes() const {
  return product(shard_extents) * static_cast<std::int64_t>(size_of(dtype));
}

ShardRange range_of(const Groups& groups, const ShardedTensor& tensor) {
  // The shard begins at a number of elements: its index along each dimension.
  std::int64_t offset = tensor.slice.x_base.at(groups.coordinates());
  ShardRange range{{std::vector<std::int64_t>(tensor.extents.size(), 0), tensor.shard_extents},
                   tensor.shard_extents};
  for (std::size_t d = tensor.extents.size(); d-- > 0 && tensor.extents[d] > 0;) {
    std::int64_t &begin = range.block.begin[d], &extent = range.block.extents[d];
    begin = offset % tensor.extents[d];
    extent = std::clamp<std::int64_t>(tensor.stored_extents[d] - begin, 0, extent);
    offset /= tensor.extents[d];
  }
  return range;
}

Block block_of(const Groups& groups, const ShardedTensor& tensor) {
  Block block = range_of(groups, tensor).block;
  for (std::size_t d = 0; d < block.begin.size(); ++d)
    block.begin[d] = std::min(block.begin[d], tensor.stored_extents[d]);
  return block;
}

namespace {

/// The part of the batch that one program reads; absent if it takes another tensor.
std::optional<Block> wanted_part(const Groups& groups, const ShardedTensor& fed,
                                 const std::vector<std::int64_t>& extents) {
  const std::vector<std::int64_t>& seen = fed.stored_extents;
  if (seen.size() != extents.size() || !fed.partial.empty()) return std::nullopt;
  Block block = block_of(groups, fed);
  for (std::size_t d = 0; d < seen.size(); ++d) {
    if (seen[d] == extents[d]) continue;
    if (d > 0 || seen[0] == 0 || extents[0] % seen[0] != 0) return std::nullopt;
    // Rows p, p + n, p + 2n, ... of the block make block rows of each part p.
    const std::int64_t parts = extents[0] / seen[0];
    block.begin[0] *= parts;
    block.extents[0] *= parts;
  }
  return block;
}

}  // namespace

Block part_of_batch(const Groups& groups, const std::vector<ShardedTensor>& fed,
                    const std::vector<std::int64_t>& extents) {
  const Block whole = Block::whole(extents);
  std::optional<Block> part;
  for (const ShardedTensor& tensor : fed) {
    const std::optional<Block> wanted = wanted_part(groups, tensor, extents);
    if (!wanted || (part && *part != *wanted)) return whole;
    part = wanted;
  }
  return part.value_or(whole);
}

void feed(const Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& fed,
          std::string_view name, void* shard) {
  const bool whole = fed.elements() == product(tensor.stored_extents);
  MTFC_CHECK(fed.dtype == tensor.dtype &&
                 (whole || fed.elements() == product(block_of(groups, tensor).extents)),
             "what is fed to " + std::string(name) + " has another type or size");
  const PaddedTo padded(fed, whole ? tensor.extents : tensor.shard_extents);
  const void* x = padded->data.data();
  const Call one{&x, &shard, groups.coordinates()};
  if (whole)
    copy(pool, tensor.slice, &one, 1);
  else if (!padded->data.empty())
    std::memcpy(shard, x, padded->data.size());
}

namespace {

/// Chooses which of the ranks that have equal blocks writes each of them: the one with the least to
/// write so far. Every rank computes it for all ranks, so that they agree.
class BlockWriters {
 public:
  explicit BlockWriters(const Groups& groups)
      : groups_(groups),
        mesh_(groups.sizes()),
        loads_(static_cast<std::size_t>(mesh_.count()), 0) {}

  /// Whether this rank is the one to write its block.
  bool take(const ShardedTensor& tensor) {
    const RowMajor blocks(groups_.sizes(), tensor.varying);
    std::vector<std::int64_t> coordinates(groups_.sizes().size());
    std::map<std::int64_t, std::size_t> writers;  // by block
    for (std::size_t rank = 0; rank < loads_.size(); ++rank) {
      mesh_.locate(static_cast<std::int64_t>(rank), coordinates.data());
      std::size_t& writer =
          writers.try_emplace(blocks.number(coordinates.data()), rank).first->second;
      if (loads_[rank] < loads_[writer]) writer = rank;
    }
    for (const auto& [number, writer] : writers) loads_[writer] += tensor.shard_bytes();
    const auto mine = static_cast<std::size_t>(groups_.network().rank());
    return writers.at(blocks.number(groups_.coordinates())) == mine;
  }

 private:
  const Groups& groups_;
  const RowMajor mesh_;
  std::vector<std::int64_t> loads_;  // bytes, by rank
};

}  // namespace

std::vector<Share> shares_of(const Groups& groups, const std::vector<ShardedTensor>& variables) {
  BlockWriters writers(groups);
  std::vector<Share> shares;
  for (const ShardedTensor& tensor : variables) {
    if (tensor.partial.empty())
      shares.push_back({block_of(groups, tensor), writers.take(tensor)});
    else
      shares.push_back({Block::whole(tensor.stored_extents), groups.network().rank() == 0});
  }
  return shares;
}

HostTensor part_of(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard) {
  if (!tensor.partial.empty()) return assembled(groups, pool, tensor, shard);
  HostTensor part = HostTensor::zeros(tensor.dtype, tensor.shard_extents);
  if (!part.data.empty()) std::memcpy(part.data.data(), shard, part.data.size());
  return fitted(std::move(part), block_of(groups, tensor).extents);
}

NotFinite worst_of_part(Groups& groups, Pool& pool, const ShardedTensor& tensor,
                        const void* shard) {
  if (!tensor.partial.empty()) return worst_of(assembled(groups, pool, tensor, shard));
  return worst_of_block(tensor.dtype, shard, tensor.shard_extents,
                        block_of(groups, tensor).extents);
}

void set_part(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& part,
              void* shard) {
  if (!tensor.partial.empty()) return take_shard(groups, pool, tensor, part, shard);
  MTFC_CHECK(part.dtype == tensor.dtype && part.extents == block_of(groups, tensor).extents,
             "a variable's part is set to a tensor of another shape");
  const PaddedTo held(part, tensor.shard_extents);
  if (!held->data.empty()) std::memcpy(shard, held->data.data(), held->data.size());
}

HostTensor assembled(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard) {
  Group& group = groups.along(tensor.varying);
  const auto bytes = static_cast<std::size_t>(tensor.shard_bytes());
  std::vector<std::byte> shards(bytes * static_cast<std::size_t>(group.size));
  group.channel->all_gather(shard, shards.data(), static_cast<std::int64_t>(bytes));
  // One whole tensor for each part of a partial value (else one), combined afterwards.
  const RowMajor parts_of_sum(groups.sizes(), tensor.partial);
  std::vector<HostTensor> whole;
  std::vector<std::int64_t> coordinates(groups.coordinates(),
                                        groups.coordinates() + groups.sizes().size() + 1);
  for (int member = 0; member < group.size; ++member) {
    group.members.locate(member, coordinates.data());
    const auto part = static_cast<std::size_t>(parts_of_sum.number(coordinates.data()));
    while (whole.size() <= part) whole.push_back(HostTensor::zeros(tensor.dtype, tensor.extents));
    const void* from = shards.data() + static_cast<std::size_t>(member) * bytes;
    void* to = whole[part].data.data();
    const Call one{&from, &to, coordinates.data()};
    copy(pool, tensor.assemble, &one, 1);
  }
  if (whole.size() == 1) return fitted(std::move(whole[0]), tensor.stored_extents);
  std::vector<const void*> parts;
  for (const HostTensor& part : whole) parts.push_back(part.data.data());
  HostTensor total = HostTensor::zeros(tensor.dtype, tensor.extents);
  void* to = total.data.data();
  const Call one{parts.data(), &to, nullptr};
  combine(pool, tensor.dtype, tensor.combine, total.elements(), static_cast<int>(parts.size()),
          &one, 1);
  return fitted(std::move(total), tensor.stored_extents);
}

void take_shard(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& whole,
                void* shard) {
  MTFC_CHECK(whole.dtype == tensor.dtype && whole.extents == tensor.stored_extents,
             "a variable is set to a tensor of another shape");
  if (!tensor.partial.empty() && tensor.combine == Combine::sum) {
    std::memset(shard, 0, static_cast<std::size_t>(tensor.shard_bytes()));
    for (int axis : tensor.partial)
      if (groups.coordinates()[axis] != 0) return;
  }
  const PaddedTo padded(whole, tensor.extents);
  const void* x = padded->data.data();
  const Call one{&x, &shard, groups.coordinates()};
  copy(pool, tensor.slice, &one, 1);
}

}  // namespace mtfc::runtime::net
