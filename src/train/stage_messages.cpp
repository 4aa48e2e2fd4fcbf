#include "train/stage_messages.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"

namespace mtfc::runtime {
namespace {

bool concerns(const PipelinePlan& plan, const PipelinePlan::Crossing& crossing, int stage) {
  return plan.part(crossing.from).stage == stage || plan.last_use(crossing, stage) >= 0;
}

std::unique_ptr<net::Channel> line(net::Network& all, int stages, int stage) {
  return all.split(all.rank() % (all.ranks() / stages), stage);
}

}  // namespace

StageMessages::StageMessages(const PipelinePlan& plan, int own, RankEngine& stage,
                             net::Network& all)
    : plan_(plan), own_(own), line_(line(all, plan.stages, own)) {
  for (const PipelinePlan::Crossing& crossing : plan.crossings)
    shards_.push_back(concerns(plan, crossing, own) ? stage.shard(crossing.variable)
                                                    : std::span<std::byte>());
}

StageMessages::~StageMessages() {
  for (Sent& sent : sent_) line_->wait(sent.going);
  for (auto& [key, held] : held_) line_->wait(held.coming);
}

void StageMessages::take(int number, std::int64_t microbatch) {
  note_held();
  const PipelinePlan::Part& part = plan_.part(number);
  for (const int taken : part.takes) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(taken);
    const auto held = held_.find({crossing.steady ? 0 : microbatch, taken});
    MTFC_CHECK(held != held_.end(), part.name + " runs before it has " + crossing.variable);
    auto& [bytes, coming] = held->second;
    line_->wait(coming);
    if (!bytes.empty())
      std::memcpy(shards_[static_cast<std::size_t>(taken)].data(), bytes.data(), bytes.size());
    if (!crossing.steady && plan_.last_use(crossing, own_) == number) held_.erase(held);
  }
}

void StageMessages::give(int part, std::int64_t microbatch) {
  for (const int given : plan_.part(part).gives) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(given);
    if (crossing.steady && microbatch > 0) continue;
    const std::span<const std::byte> shard = shards_[static_cast<std::size_t>(given)];
    const auto bytes = std::make_shared<const Bytes>(shard.begin(), shard.end());
    for (const int stage : plan_.receivers(crossing)) {
      if (stage == own_)
        held_[{microbatch, given}] = {*bytes, {}};
      else
        send(stage, bytes);
    }
  }
  note_held();
}

void StageMessages::expect(int number, std::int64_t microbatch) {
  const PipelinePlan::Part& part = plan_.part(number);
  for (const int given : part.gives) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(given);
    if ((crossing.steady && microbatch > 0) || plan_.last_use(crossing, own_) < 0) continue;
    Held& held = held_[{microbatch, given}];
    held.bytes.resize(shards_[static_cast<std::size_t>(given)].size());
    line_->receive(part.stage, held.bytes.data(), static_cast<std::int64_t>(held.bytes.size()),
                   held.coming);
  }
}

void StageMessages::share(int stage, std::vector<std::byte>& bytes) {
  if (stage == own_) {
    const auto copy = std::make_shared<const Bytes>(bytes);
    for (int other = 0; other < plan_.stages; ++other)
      if (other != own_) send(other, copy);
    return;
  }
  net::Transfer coming;
  line_->receive(stage, bytes.data(), static_cast<std::int64_t>(bytes.size()), coming);
  line_->wait(coming);
}

void StageMessages::send(int stage, const std::shared_ptr<const Bytes>& bytes) {
  std::erase_if(sent_, [&](Sent& sent) { return line_->test(sent.going); });
  Sent& sent = sent_.emplace_back(Sent{bytes, {}});
  line_->send(stage, bytes->data(), static_cast<std::int64_t>(bytes->size()), sent.going);
}

void StageMessages::note_held() {
  std::vector<HeldKey> keys;
  for (const auto& [key, held] : held_) keys.push_back(key);
  most_held_ = std::max(most_held_, passes_held(plan_, own_, keys));
}

}  // namespace mtfc::runtime
