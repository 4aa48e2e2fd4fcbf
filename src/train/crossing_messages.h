// Who sends what of a value to whom where the processors of one stage hold it in other shards than
// those of another.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/sharded.h"

namespace mtfc::runtime {

using net::ShardRange;

/// What lies in one piece in the memory of a sender and in that of a receiver.
struct ShardRun {
  std::size_t from = 0, to = 0, length = 0;  // in bytes; until a message has it, in elements
};

/// From one sender to one receiver: the runs, one behind the other.
struct CrossingMessage {
  int sender = 0, receiver = 0;  // numbers in the lists
  std::vector<ShardRun> runs;    // `to`: in the receiver's part
  std::size_t bytes = 0;
};

/// The same value on two sets of processors; those of equal ranges hold the same shard.
struct CrossingShards {
  std::vector<ShardRange> senders, receivers;
  std::size_t element = 4;  // bytes
};

/// A receiver's shard falls into parts of equal length, the last one filled up: one for each
/// receiver of this range, which is sent this part alone; the receivers gather the others from each
/// other. A small shard is one part, that each of them is sent.
std::size_t part_count(const CrossingShards& shards, int receiver);
std::size_t part_bytes(const CrossingShards& shards, int receiver);

/// The messages that the sender (-1: any) sends to the receiver (-1: any), by receiver, then by
/// sender. What a shard here and a part there have in common is sent by one of the
/// senders that have it; these take turns.
std::vector<CrossingMessage> crossing_messages(const CrossingShards& shards, int sender,
                                               int receiver);

}  // namespace mtfc::runtime
