// A tensor in shards on the ranks of a network, and conversion from and to global form.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "comm/groups.h"
#include "kernels/copy.h"
#include "kernels/pool.h"
#include "support/combine.h"
#include "support/host_tensor.h"
#include "support/not_finite.h"

namespace mtfc::runtime {

/// The part of a variable on this process.
struct Share {
  Block block;         // of the whole tensor
  bool writes = true;  // of all processes with this block, one writes it to checkpoints
};

}  // namespace mtfc::runtime

namespace mtfc::runtime::net {

/// A whole tensor and the shard of one processor. Padding stays on the processors: blocks and
/// tensors in global form have none, and it is zero when they are loaded.
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

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dtype", self.dtype);
    f("extents", self.extents);
    f("stored_extents", self.stored_extents);
    f("shard_extents", self.shard_extents);
    f("slice", self.slice);
    f("assemble", self.assemble);
    f("varying", self.varying);
    f("partial", self.partial);
    f("combine", self.combine);
  }
};

/// Where a shard lies in its tensor.
struct ShardRange {
  Block block;                        // without padding
  std::vector<std::int64_t> extents;  // of its memory: those of the block, and padding behind them

  friend bool operator==(const ShardRange&, const ShardRange&) = default;
};
/// This rank's.
ShardRange range_of(const Groups& groups, const ShardedTensor& tensor);
/// The block of the whole tensor that this rank's shard is.
Block block_of(const Groups& groups, const ShardedTensor& tensor);

/// The part of a batch of these extents that this rank must be fed with. `fed`: the forms in which
/// programs take it, the same tensor or every n-th row of it (train/loop/step.h). The whole batch
/// if one of them takes another tensor, or if they read different parts.
Block part_of_batch(const Groups& groups, const std::vector<ShardedTensor>& fed,
                    const std::vector<std::int64_t>& extents);

/// A fed tensor, whole or this rank's part of it, into this rank's shard. `name`: of the input, for
/// the message that it is neither, which is a bug.
void feed(const Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& fed,
          std::string_view name, void* shard);

/// The block of each variable on this rank, and whether it writes it to checkpoints: ranks with
/// equal blocks divide them, so that all write about the same amount. A partial value is one block,
/// the whole tensor, that rank 0 writes.
std::vector<Share> shares_of(const Groups& groups, const std::vector<ShardedTensor>& variables);

/// The values of this rank's share. A partial value is assembled: then every rank calls it.
HostTensor part_of(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard);
/// The worst of these values, looked at where they are. Of a partial value every rank calls it.
NotFinite worst_of_part(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard);
void set_part(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& part,
              void* shard);

/// The whole tensor, on every rank. Every rank calls it with its own shard.
HostTensor assembled(Groups& groups, Pool& pool, const ShardedTensor& tensor, const void* shard);

/// This rank's part of `whole` into `shard`; a partial sum is loaded into its first part, the
/// others become zero.
void take_shard(Groups& groups, Pool& pool, const ShardedTensor& tensor, const HostTensor& whole,
                void* shard);

}  // namespace mtfc::runtime::net
