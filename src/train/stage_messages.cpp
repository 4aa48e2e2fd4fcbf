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
    forms_.push_back(concerns(plan, crossing, own) ? form(stage, crossing.variable) : Form());
}

StageMessages::Form StageMessages::form(RankEngine& stage, const std::string& variable) {
  constexpr std::size_t small = 1024;  // to gather it would take longer than to send it whole
  Form form{stage.shard(variable), stage.replicas(variable), 0};
  if (form.shard.size() < small) form.replicas = nullptr;
  const std::size_t parts =
      form.replicas ? static_cast<std::size_t>(form.replicas->channel->size()) : 1;
  form.part = (form.shard.size() + parts - 1) / parts;
  return form;
}

StageMessages::Bytes StageMessages::Form::own_part() const {
  const std::size_t number = replicas ? static_cast<std::size_t>(replicas->channel->number()) : 0;
  const std::size_t begin = std::min(number * part, shard.size());
  const std::size_t end = std::min(begin + part, shard.size());
  Bytes bytes(shard.begin() + static_cast<std::ptrdiff_t>(begin),
              shard.begin() + static_cast<std::ptrdiff_t>(end));
  bytes.resize(part);
  return bytes;
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
  held = {{}, {}, false, true};
  in_place_[crossing] = &held;
}

/// The variable is to be written: what is in it is kept elsewhere.
void StageMessages::make_room(int crossing) {
  const auto there = in_place_.find(crossing);
  if (there == in_place_.end()) return;
  const std::span<std::byte> shard = forms_[static_cast<std::size_t>(crossing)].shard;
  *there->second = {{shard.begin(), shard.end()}, {}, false, false};
  in_place_.erase(there);
}

/// The replicas gather their parts; all of them take it at the same place in the list.
void StageMessages::complete(const Form& form, Held& held) {
  line_->wait(held.coming);
  if (!held.is_part) return;
  Bytes whole(form.part * static_cast<std::size_t>(form.replicas->channel->size()));
  form.replicas->channel->all_gather(held.bytes.data(), whole.data(),
                                     static_cast<std::int64_t>(form.part));
  held = {std::move(whole), {}, false, false};
}

void StageMessages::give(int part, std::int64_t microbatch) {
  for (const int given : plan_.part(part).gives) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(given);
    if (crossing.steady && microbatch > 0) continue;
    const Form& form = forms_[static_cast<std::size_t>(given)];
    std::shared_ptr<const Bytes> part;  // of all messages
    for (const int stage : plan_.receivers(crossing)) {
      if (stage == own_) {
        Held& held = held_[{microbatch, given}] = {{}, {}, false, true};
        in_place_[given] = &held;
        continue;
      }
      if (!part) part = std::make_shared<const Bytes>(form.own_part());
      send(stage, part);
    }
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
    held = {Bytes(form.part), {}, form.replicas != nullptr, false};
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
