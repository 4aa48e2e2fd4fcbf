// What crosses between stages of any meshes: every receiver's part arrives once, and
// equal meshes send what each processor sends to its like.
#include "train/crossing_messages.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <set>

namespace crossing_messages_test {

using namespace mtfc;
using namespace mtfc::runtime;

namespace {

using Extents = std::vector<std::int64_t>;

/// A tensor cut into equal shards, padded at the end where they do not divide it, each on so many
/// processors, in one order or the other.
std::vector<ShardRange> ranges(const Extents& tensor, const Extents& cuts, int replicas,
                               bool replicas_inside) {
  std::int64_t shards = 1;
  for (const std::int64_t cut : cuts) shards *= cut;
  std::vector<ShardRange> all;
  const std::int64_t count = shards * replicas;
  for (std::int64_t processor = 0; processor < count; ++processor) {
    std::int64_t number = replicas_inside ? processor / replicas : processor % shards;
    ShardRange range{{Extents(tensor.size()), Extents(tensor.size())}, Extents(tensor.size())};
    for (std::size_t d = tensor.size(); d-- > 0;) {
      const std::int64_t size = (tensor[d] + cuts[d] - 1) / cuts[d];
      range.extents[d] = size;
      range.block.begin[d] = number % cuts[d] * size;
      range.block.extents[d] = std::clamp<std::int64_t>(tensor[d] - range.block.begin[d], 0, size);
      number /= cuts[d];
    }
    all.push_back(range);
  }
  return all;
}

/// The index in the tensor of each element of a shard's memory; -1: padding.
std::vector<std::int64_t> indices(const ShardRange& range, const Extents& tensor) {
  std::vector<std::int64_t> found;
  const std::int64_t count = product(range.extents);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t left = i, index = 0, stride = 1;
    bool padding = false;
    for (std::size_t d = tensor.size(); d-- > 0;) {
      const std::int64_t at = left % range.extents[d];
      left /= range.extents[d];
      padding = padding || at >= range.block.extents[d];
      index += (range.block.begin[d] + at) * stride;
      stride *= tensor[d];
    }
    found.push_back(padding ? -1 : index);
  }
  return found;
}

struct Case {
  Extents tensor;
  CrossingShards shards;
};

Case random_case(std::mt19937& random, std::int64_t most) {
  Case made;
  Extents here, there;
  for (std::size_t dims = random() % 4; dims > 0; --dims) {
    made.tensor.push_back(1 + static_cast<std::int64_t>(random()) % most);
    here.push_back(1 + static_cast<std::int64_t>(random() % 4));
    there.push_back(1 + static_cast<std::int64_t>(random() % 4));
  }
  const auto replicas = [&] { return 1 + static_cast<int>(random() % 3); };
  made.shards = {ranges(made.tensor, here, replicas(), random() % 2 == 0),
                 ranges(made.tensor, there, replicas(), random() % 2 == 0), 1};
  return made;
}

/// What a receiver's part holds once all has arrived: by byte the index in the tensor, -1 of none.
std::vector<std::int64_t> arrived(const Case& made, int receiver) {
  std::vector<std::int64_t> part(part_bytes(made.shards, receiver), -1);
  for (const CrossingMessage& message : crossing_messages(made.shards, -1, receiver)) {
    const auto from =
        indices(made.shards.senders.at(static_cast<std::size_t>(message.sender)), made.tensor);
    std::size_t bytes = 0;
    for (const ShardRun& run : message.runs) {
      for (std::size_t i = 0; i < run.length; ++i) {
        REQUIRE(part.at(run.to + i) == -1);
        part[run.to + i] = from.at(run.from + i);
      }
      bytes += run.length;
    }
    CHECK(bytes == message.bytes);
  }
  return part;
}

/// The parts of all receivers of a range, one behind the other.
std::vector<std::int64_t> gathered(const Case& made, int receiver) {
  if (part_count(made.shards, receiver) == 1) return arrived(made, receiver);
  const std::vector<ShardRange>& receivers = made.shards.receivers;
  std::vector<std::int64_t> whole;
  for (int other = 0; other < static_cast<int>(receivers.size()); ++other) {
    const auto at = static_cast<std::size_t>(other);
    if (!(receivers[at] == receivers[static_cast<std::size_t>(receiver)])) continue;
    const std::vector<std::int64_t> part = arrived(made, other);
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

}  // namespace

TEST_CASE("every receiver has its shard when its likes have gathered what they were sent") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Case made = random_case(random, seed % 3 == 0 ? 40 : 7);
    INFO("seed " << seed);
    for (int r = 0; r < static_cast<int>(made.shards.receivers.size()); ++r) {
      const ShardRange& range = made.shards.receivers[static_cast<std::size_t>(r)];
      if (range.block.elements() == 0) continue;
      const std::vector<std::int64_t> wanted = indices(range, made.tensor);
      std::vector<std::int64_t> found = gathered(made, r);
      REQUIRE(found.size() >= wanted.size());
      found.resize(wanted.size());
      REQUIRE(found == wanted);
    }
  }
}

TEST_CASE("a large value goes from stage to stage once") {
  const Extents tensor{64, 96};
  for (const Extents& here : {Extents{1, 1}, Extents{2, 1}, Extents{1, 3}, Extents{4, 2}})
    for (const Extents& there : {Extents{1, 1}, Extents{4, 1}, Extents{2, 3}})
      for (const int replicas : {1, 2, 4}) {
        const CrossingShards shards{ranges(tensor, here, 2, true),
                                    ranges(tensor, there, replicas, false), 4};
        std::size_t bytes = 0;
        for (const CrossingMessage& message : crossing_messages(shards, -1, -1))
          bytes += message.bytes;
        CHECK(bytes == 64 * 96 * 4);
      }
}

TEST_CASE("what both sides work out for themselves is the same") {
  std::mt19937 random(1);
  const Case made = random_case(random, 40);
  const auto key = [](const CrossingMessage& message) {
    return std::tuple(message.sender, message.receiver, message.bytes);
  };
  std::set<std::tuple<int, int, std::size_t>> all, by_sender, by_receiver;
  for (const CrossingMessage& m : crossing_messages(made.shards, -1, -1)) all.insert(key(m));
  for (int s = 0; s < static_cast<int>(made.shards.senders.size()); ++s)
    for (const CrossingMessage& m : crossing_messages(made.shards, s, -1)) by_sender.insert(key(m));
  for (int r = 0; r < static_cast<int>(made.shards.receivers.size()); ++r)
    for (const CrossingMessage& m : crossing_messages(made.shards, -1, r))
      by_receiver.insert(key(m));
  CHECK(all == by_sender);
  CHECK(all == by_receiver);
}

TEST_CASE("on equal meshes each sends to its like, a part of what replicas hold alike") {
  const Extents tensor{64, 96};
  const std::vector<ShardRange> mesh = ranges(tensor, {2, 1}, 2, true);
  const CrossingShards shards{mesh, mesh, 4};
  const std::vector<CrossingMessage> messages = crossing_messages(shards, -1, -1);
  REQUIRE(messages.size() == 4);
  for (const CrossingMessage& message : messages) {
    CHECK(message.sender == message.receiver);
    CHECK(message.runs.size() == 1);
    CHECK(message.bytes == 32 * 96 * 4 / 2);
  }
}

}  // namespace crossing_messages_test
