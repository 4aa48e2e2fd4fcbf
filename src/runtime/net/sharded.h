// A tensor that lies in shards on the ranks of a network, and its way to and from global form.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/engine.h"
#include "runtime/net/groups.h"
#include "runtime/pool.h"
#include "runtime/spec.h"

namespace mtfc::runtime::net {

/// A whole tensor and the part of it that one processor holds.
struct ShardedTensor {
  DType dtype{};
  std::vector<std::int64_t> extents;        // whole
  std::vector<std::int64_t> shard_extents;  // on one processor
  CopySpec slice, assemble;                 // whole to shard, shard to whole
  std::vector<int> varying;                 // axes on which shards differ, ascending
  std::vector<int> partial;                 // those of them over which the shards are combined
  ReduceKind combine{};

  std::int64_t shard_bytes() const;
};

/// The whole tensor, on every rank. Every rank calls it with its own shard.
HostTensor assembled(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard);

/// This rank's part of `whole` into `shard`; a pending sum is loaded into its first part, the
/// others become zero.
void take_shard(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& whole,
                void* shard);

}  // namespace mtfc::runtime::net
