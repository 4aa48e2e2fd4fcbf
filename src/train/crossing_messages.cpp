#include "train/crossing_messages.h"

#include <algorithm>
#include <optional>

namespace mtfc::runtime {
namespace {

constexpr std::size_t small = 1024;  // bytes: to gather it would take longer than to send it whole

std::size_t shard_bytes(const CrossingShards& shards, const ShardRange& range) {
  return static_cast<std::size_t>(product(range.extents)) * shards.element;
}

/// Which of the receivers of one range it is, from 0.
std::size_t part_number(const CrossingShards& shards, int receiver) {
  const auto begin = shards.receivers.begin();
  return static_cast<std::size_t>(std::count(begin, begin + receiver, begin[receiver]));
}

/// The runs of a block in the memory of a shard: `from` there, `to` in the block, in elements.
std::vector<ShardRun> runs_in(const ShardRange& shard, const Block& block) {
  std::vector<ShardRun> runs;
  for_each_run(shard.extents, inside(block, shard.block),
               [&](std::int64_t at, std::int64_t in_block, std::int64_t count) {
                 runs.push_back({static_cast<std::size_t>(at), static_cast<std::size_t>(in_block),
                                 static_cast<std::size_t>(count)});
               });
  return runs;
}

/// What lies in one piece on both sides, in elements.
std::vector<ShardRun> runs_between(const ShardRange& sender, const ShardRange& receiver) {
  std::vector<ShardRun> runs;
  const std::optional<Block> block = common(sender.block, receiver.block);
  if (!block) return runs;
  const std::vector<ShardRun> here = runs_in(sender, *block), there = runs_in(receiver, *block);
  for (std::size_t i = 0, j = 0; i < here.size() && j < there.size();) {
    const ShardRun &a = here[i], &b = there[j];
    const std::size_t begin = std::max(a.to, b.to);
    const std::size_t end_a = a.to + a.length, end_b = b.to + b.length;
    const std::size_t end = std::min(end_a, end_b);
    runs.push_back({a.from + begin - a.to, b.from + begin - b.to, end - begin});
    if (end == end_a) ++i;
    if (end == end_b) ++j;
  }
  return runs;
}

/// The message with what of the runs lies in the receiver's part.
CrossingMessage message_of(const CrossingShards& shards, int sender, int receiver) {
  const std::size_t length = part_bytes(shards, receiver);
  const std::size_t begin =
      part_count(shards, receiver) > 1 ? length * part_number(shards, receiver) : 0;
  CrossingMessage message{sender, receiver, {}, 0};
  for (ShardRun run : runs_between(shards.senders[static_cast<std::size_t>(sender)],
                                   shards.receivers[static_cast<std::size_t>(receiver)])) {
    run = {run.from * shards.element, run.to * shards.element, run.length * shards.element};
    const std::size_t first = std::max(run.to, begin);
    const std::size_t last = std::min(run.to + run.length, begin + length);
    if (first >= last) continue;
    message.runs.push_back({run.from + first - run.to, first - begin, last - first});
    message.bytes += last - first;
  }
  return message;
}

}  // namespace

std::size_t part_count(const CrossingShards& shards, int receiver) {
  const ShardRange& range = shards.receivers[static_cast<std::size_t>(receiver)];
  if (shard_bytes(shards, range) < small) return 1;
  return static_cast<std::size_t>(
      std::count(shards.receivers.begin(), shards.receivers.end(), range));
}

std::size_t part_bytes(const CrossingShards& shards, int receiver) {
  const std::size_t whole =
      shard_bytes(shards, shards.receivers[static_cast<std::size_t>(receiver)]);
  const std::size_t parts = part_count(shards, receiver);
  return (whole + parts - 1) / parts;
}

std::vector<CrossingMessage> crossing_messages(const CrossingShards& shards, int sender,
                                               int receiver) {
  const std::vector<ShardRange>&senders = shards.senders, &receivers = shards.receivers;
  // Senders of one range, in order, and how often their turn was.
  std::vector<std::vector<int>> alike;
  for (int i = 0; i < static_cast<int>(senders.size()); ++i) {
    const ShardRange& range = senders[static_cast<std::size_t>(i)];
    const auto same = std::find_if(alike.begin(), alike.end(), [&](const auto& group) {
      return senders[static_cast<std::size_t>(group.front())] == range;
    });
    same == alike.end() ? alike.push_back({i}) : same->push_back(i);
  }
  std::vector<std::size_t> turns(alike.size());
  std::vector<CrossingMessage> found;
  for (int r = 0; r < static_cast<int>(receivers.size()); ++r)
    for (std::size_t g = 0; g < alike.size(); ++g) {
      const Block& block = senders[static_cast<std::size_t>(alike[g].front())].block;
      if (!common(block, receivers[static_cast<std::size_t>(r)].block)) continue;
      const int turn = alike[g][turns[g]++ % alike[g].size()];
      if ((sender >= 0 && sender != turn) || (receiver >= 0 && receiver != r)) continue;
      CrossingMessage message = message_of(shards, turn, r);
      if (message.bytes > 0) found.push_back(std::move(message));
    }
  return found;
}

}  // namespace mtfc::runtime
