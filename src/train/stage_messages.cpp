#include "train/stage_messages.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"

namespace mtfc::runtime {
namespace {

bool concerns(const PipelinePlan& plan, const PipelinePlan::Crossing& crossing, int stage) {
  return plan.part(crossing.from).stage == stage || plan.last_use(crossing, stage) >= 0;
}

/// The runs of a message, one behind the other.
std::vector<std::byte> packed(const CrossingMessage& message, std::span<const std::byte> shard) {
  std::vector<std::byte> bytes(message.bytes);
  std::byte* to = bytes.data();
  for (const ShardRun& run : message.runs) {
    std::memcpy(to, shard.data() + run.from, run.length);
    to += run.length;
  }
  return bytes;
}

void unpack(const CrossingMessage& message, const std::vector<std::byte>& bytes,
            std::vector<std::byte>& part) {
  const std::byte* from = bytes.data();
  for (const ShardRun& run : message.runs) {
    std::memcpy(part.data() + run.to, from, run.length);
    from += run.length;
  }
}

/// A range as numbers: how many dimensions, then of each the begin and the extent of the block and
/// the extent in memory; nothing of a crossing that the rank has no part in.
constexpr std::int64_t nowhere = -1;

}  // namespace

StageMessages::StageMessages(const PipelinePlan& plan, int own, RankEngine& stage,
                             net::Network& all)
    : plan_(plan), own_(own), all_(all.split(0, all.rank())) {
  std::int64_t most = 0;  // dimensions
  for (const PipelinePlan::Crossing& crossing : plan.crossings)
    if (concerns(plan, crossing, own))
      most = std::max(most, std::ssize(stage.range(crossing.variable).extents));
  const std::vector<Ranges> ranges = all_ranges(stage, all.highest(most));
  for (std::size_t i = 0; i < plan.crossings.size(); ++i) {
    const PipelinePlan::Crossing& crossing = plan.crossings[i];
    forms_.push_back(concerns(plan, crossing, own) ? form(stage, crossing, ranges[i]) : Form());
  }
}

/// By crossing. Every rank says where its shards lie.
std::vector<StageMessages::Ranges> StageMessages::all_ranges(const RankEngine& stage,
                                                             std::int64_t most_dims) const {
  const std::size_t width = 1 + 3 * static_cast<std::size_t>(most_dims);
  const std::size_t count = plan_.crossings.size();
  std::vector<std::int64_t> mine(count * width, nowhere);
  for (std::size_t i = 0; i < count; ++i) {
    if (!concerns(plan_, plan_.crossings[i], own_)) continue;
    const auto& [block, extents] = stage.range(plan_.crossings[i].variable);
    std::int64_t* to = mine.data() + i * width;
    *to++ = std::ssize(extents);
    for (std::size_t d = 0; d < extents.size(); ++d)
      *to++ = block.begin[d], *to++ = block.extents[d], *to++ = extents[d];
  }
  const auto ranks = static_cast<std::size_t>(all_->size());
  std::vector<std::int64_t> theirs(ranks * mine.size());
  all_->all_gather(mine.data(), theirs.data(),
                   static_cast<std::int64_t>(mine.size() * sizeof(std::int64_t)));
  std::vector<Ranges> ranges(count, Ranges(ranks));
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t* from = theirs.data() + rank * mine.size() + i * width;
      auto& [block, extents] = ranges[i][rank];
      for (std::int64_t left = *from++; left > 0; --left) {
        block.begin.push_back(*from++);
        block.extents.push_back(*from++);
        extents.push_back(*from++);
      }
    }
  return ranges;
}

StageMessages::Ranges StageMessages::of_stage(const Ranges& ranges, int stage) const {
  const auto begin = ranges.begin() + plan_.first_rank(stage);
  return {begin, begin + plan_.processors[static_cast<std::size_t>(stage)]};
}

StageMessages::Form StageMessages::form(RankEngine& stage, const PipelinePlan::Crossing& crossing,
                                        const Ranges& ranges) const {
  Form form;
  form.shard = stage.shard(crossing.variable);
  const int from = plan_.part(crossing.from).stage;
  const int number = all_->number() - plan_.first_rank(own_);
  const std::size_t elements =
      static_cast<std::size_t>(product(stage.range(crossing.variable).extents));
  CrossingShards shards{of_stage(ranges, from), {}, elements ? form.shard.size() / elements : 1};
  for (const int to : plan_.receivers(crossing)) {
    if (to == from || (from != own_ && to != own_)) continue;
    shards.receivers = of_stage(ranges, to);
    std::vector<CrossingMessage> messages = from == own_ ? crossing_messages(shards, number, -1)
                                                         : crossing_messages(shards, -1, number);
    for (CrossingMessage& message : messages) {
      message.sender += plan_.first_rank(from);
      message.receiver += plan_.first_rank(to);
    }
    if (from == own_) {
      form.outgoing[to] = std::move(messages);
      continue;
    }
    form.incoming = std::move(messages);
    form.part = part_bytes(shards, number);
    form.replicas = stage.replicas(crossing.variable);
    if (part_count(shards, number) == 1) form.replicas = nullptr;
  }
  return form;
}

StageMessages::~StageMessages() {
  for (Sent& sent : sent_) all_->wait(sent.going);
  for (auto& [key, held] : held_)
    for (Arriving& message : held.arriving) all_->wait(message.coming);
}

void StageMessages::take(int number, std::int64_t microbatch) {
  note_held();
  const PipelinePlan::Part& part = plan_.part(number);
  for (const int taken : part.takes) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(taken);
    const auto held = held_.find({crossing.steady ? 0 : microbatch, taken});
    MTFC_CHECK(held != held_.end(), part.name + " runs before it has " + crossing.variable);
    load(taken, held->second);
    if (crossing.steady || plan_.last_use(crossing, own_) != number) continue;
    in_place_.erase(taken);
    held_.erase(held);
  }
  // What is steady is made again with each micro-batch, and is the same.
  for (const int given : part.gives)
    if (!plan_.crossing(given).steady) make_room(given);
}

void StageMessages::load(int crossing, Held& held) {
  if (held.in_place) return;
  const Form& form = forms_[static_cast<std::size_t>(crossing)];
  complete(form, held);
  make_room(crossing);
  if (!form.shard.empty()) std::memcpy(form.shard.data(), held.bytes.data(), form.shard.size());
  held = {.in_place = true};
  in_place_[crossing] = &held;
}

/// The variable is to be written: what is in it is kept elsewhere.
void StageMessages::make_room(int crossing) {
  const auto there = in_place_.find(crossing);
  if (there == in_place_.end()) return;
  const std::span<std::byte> shard = forms_[static_cast<std::size_t>(crossing)].shard;
  *there->second = {.bytes = {shard.begin(), shard.end()}};
  in_place_.erase(there);
}

/// The replicas gather their parts; all of them take it at the same place in the list.
void StageMessages::complete(const Form& form, Held& held) {
  if (held.arrived) return;
  for (Arriving& message : held.arriving) all_->wait(message.coming);
  const bool whole = form.incoming.size() == 1 && form.incoming[0].runs.size() == 1 &&
                     form.incoming[0].bytes == form.part;
  Bytes part = whole ? std::move(held.arriving[0].bytes) : Bytes(form.part);
  for (std::size_t i = 0; i < held.arriving.size() && !whole; ++i)
    unpack(form.incoming[i], held.arriving[i].bytes, part);
  if (form.replicas) {
    Bytes shard(form.part * static_cast<std::size_t>(form.replicas->channel->size()));
    form.replicas->channel->all_gather(part.data(), shard.data(),
                                       static_cast<std::int64_t>(form.part));
    part = std::move(shard);
  }
  held = {.bytes = std::move(part)};
}

void StageMessages::give(int part, std::int64_t microbatch) {
  for (const int given : plan_.part(part).gives) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(given);
    if (crossing.steady && microbatch > 0) continue;
    const Form& form = forms_[static_cast<std::size_t>(given)];
    for (const int stage : plan_.receivers(crossing))
      if (stage == own_) in_place_[given] = &(held_[{microbatch, given}] = {.in_place = true});
    for (const auto& [stage, messages] : form.outgoing)
      for (const CrossingMessage& message : messages)
        send(message.receiver, std::make_shared<const Bytes>(packed(message, form.shard)));
  }
  note_held();
}

void StageMessages::expect(int number, std::int64_t microbatch) {
  const PipelinePlan::Part& part = plan_.part(number);
  for (const int given : part.gives) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(given);
    if ((crossing.steady && microbatch > 0) || plan_.last_use(crossing, own_) < 0) continue;
    Held& held = held_[{microbatch, given}];  // steady: that of the step before, if there was one
    if (held.in_place) in_place_.erase(given);
    const Form& form = forms_[static_cast<std::size_t>(given)];
    held = {.arrived = false};
    for (const CrossingMessage& message : form.incoming) {
      auto& [bytes, coming] = held.arriving.emplace_back(Arriving{Bytes(message.bytes), {}});
      all_->receive(message.sender, bytes.data(), static_cast<std::int64_t>(bytes.size()), coming);
    }
  }
}

/// Ranks of one number get it from each other; where a stage has fewer, theirs are used in turn.
void StageMessages::share(int stage, std::vector<std::byte>& bytes) {
  const auto size = [&](int of) {
    return static_cast<int>(plan_.processors[static_cast<std::size_t>(of)]);
  };
  const int number = all_->number() - plan_.first_rank(own_);
  if (stage != own_) {
    net::Transfer coming;
    all_->receive(plan_.first_rank(stage) + number % size(stage), bytes.data(),
                  static_cast<std::int64_t>(bytes.size()), coming);
    all_->wait(coming);
    return;
  }
  const auto copy = std::make_shared<const Bytes>(bytes);
  for (int other = 0; other < plan_.stages; ++other)
    for (int to = number; to < size(other) && other != own_; to += size(own_))
      send(plan_.first_rank(other) + to, copy);
}

void StageMessages::send(int rank, std::shared_ptr<const Bytes> bytes) {
  std::erase_if(sent_, [&](Sent& sent) { return all_->test(sent.going); });
  Sent& sent = sent_.emplace_back(Sent{std::move(bytes), {}});
  all_->send(rank, sent.bytes->data(), static_cast<std::int64_t>(sent.bytes->size()), sent.going);
}

void StageMessages::note_held() {
  std::vector<HeldKey> keys;
  for (const auto& [key, held] : held_) keys.push_back(key);
  most_held_ = std::max(most_held_, passes_held(plan_, own_, keys));
}

}  // namespace mtfc::runtime
