// A tensor that lies in shards on the ranks of a network, and its way to and from global form.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "comm/groups.h"
#include "kernels/pool.h"
#include "kernels/spec.h"
#include "support/host_tensor.h"

namespace mtfc::runtime {

/// What this process has of a variable.
struct Share {
  Block block;         // of the whole tensor
  bool writes = true;  // of all processes that have this block, one writes it to checkpoints
};

}  // namespace mtfc::runtime

namespace mtfc::runtime::net {

/// A whole tensor and the part of it that one processor holds. Of padded ones only what is stored
/// leaves the processors: blocks and tensors in global form have no padding, which is zero in what
/// comes back.
struct ShardedTensor {
  DType dtype{};
  std::vector<std::int64_t> extents;         // whole, with padding at the end
  std::vector<std::int64_t> stored_extents;  // and without
  std::vector<std::int64_t> shard_extents;   // on one processor
  CopySpec slice, assemble;                  // whole to shard, shard to whole
  std::vector<int> varying;                  // axes on which shards differ, ascending
  std::vector<int> partial;                  // those of them over which the shards are combined
  Combine combine{};

  std::int64_t shard_bytes() const;
};

/// The block of the whole tensor that this rank's shard is.
Block block_of(const Groups& groups, const ShardedTensor& tensor);

/// The part of a batch of these extents that this rank must be fed with. `fed`: what the programs
/// that feed on it take it as, the same tensor or every n-th row of it (train/loop/step.h). Whole
/// if one of them takes something else, or if they want different parts.
Block part_of_batch(const Groups& groups, const std::vector<ShardedTensor>& fed,
                    const std::vector<std::int64_t>& extents);

/// What a program is fed with, whole or this rank's part of it, into this rank's shard. `name`: the
/// input's, for the message that it is neither, which is a mistake of ours.
void feed(const Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& fed,
          std::string_view name, void* shard);

/// What this rank has of each variable, and which it writes to checkpoints: the ranks that have
/// equal blocks take turns, so that all write about equally much. Pending sums count as whole, and
/// rank 0 writes them.
std::vector<Share> shares_of(const Groups& groups, const std::vector<ShardedTensor>& variables);

/// The values of this rank's share. A pending sum is assembled: then every rank calls it.
HostTensor part_of(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard);
void set_part(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& part,
              void* shard);

/// The whole tensor, on every rank. Every rank calls it with its own shard.
HostTensor assembled(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard);

/// This rank's part of `whole` into `shard`; a pending sum is loaded into its first part, the
/// others become zero.
void take_shard(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& whole,
                void* shard);

}  // namespace mtfc::runtime::net
