#include <algorithm>
#include <cstring>

#include "runtime/kernels.h"
#include "runtime/net/exchange.h"
#include "support/check.h"

namespace mtfc::runtime::net {

/// One sum on its way, as plain numbers and places in `room`.
struct Begun::Sum {
  Groups* groups = nullptr;
  Pool* pool = nullptr;
  Group* group = nullptr;
  ExchangeSpec spec;  // of all tensors of the bucket together
  Lists lists;
  std::vector<std::byte> room;
  std::byte* free = nullptr;  // in `room`: not taken yet
  std::byte *received = nullptr, *part = nullptr, *total = nullptr;
  std::int64_t mine = 0, sent = 0;
  bool added_by_library = false;
  Transfer transfer;
  State state = State::ended;
  std::vector<std::int64_t> bytes;  // of the bucket's tensors, in `total`; empty: only one
  std::vector<void*> results;

  std::int64_t size() const { return static_cast<std::int64_t>(size_of(spec.dtype)); }
  std::byte* take(std::int64_t elements) {
    std::byte* place = free;
    free += elements * size();
    return place;
  }

  void begin(const std::byte* x) {
    state = State::first;
    mine = block_elements(spec);
    if (spec.by_library && begin_by_library(x)) return;
    if (spec.kind == ExchangeSpec::Kind::reduce_scatter) return swap_blocks(packed(x));
    if (gathers_all(spec)) return gather_everything(x);
    mine = share_out(spec, group->number, lists);
    received = take(received_elements(spec));
    part = take(mine);
    transfer = group->channel->begin_all_to_all(
        x, lists.send_counts.data(), lists.send_places.data(), received,
        lists.receive_counts.data(), lists.receive_places.data(), static_cast<int>(size()));
    sent = spec.source_elements - mine + mine * (group->size - 1);
  }
  bool begin_by_library(const std::byte* x) {
    Channel& channel = *group->channel;
    added_by_library = spec.kind == ExchangeSpec::Kind::all_reduce
                           ? channel.all_reduce(x, total, spec.source_elements, spec.dtype,
                                                spec.combine, &transfer)
                           : channel.can_add(spec.dtype, mine) &&
                                 channel.reduce_scatter(packed(x), total, mine, spec.dtype,
                                                        spec.combine, &transfer);
    if (added_by_library) sent = sent_elements(spec);
    return added_by_library;
  }
  void gather_everything(const std::byte* x) {
    equal_blocks();
    received = take(mine * group->size);
    transfer =
        group->channel->begin_all_gather(x, count_of(mine), received, lists.receive_counts.data(),
                                         lists.receive_places.data(), static_cast<int>(size()));
    sent = mine * (group->size - 1);
  }
  void swap_blocks(const std::byte* blocks) {
    equal_blocks();
    received = take(mine * group->size);
    transfer = group->channel->begin_all_to_all(
        blocks, lists.send_counts.data(), lists.send_places.data(), received,
        lists.receive_counts.data(), lists.receive_places.data(), static_cast<int>(size()));
    sent = mine * (group->size - 1);
  }
  void equal_blocks() {
    for (int r = 0; r < group->size; ++r) {
      const auto i = static_cast<std::size_t>(r);
      lists.send_counts[i] = lists.receive_counts[i] = count_of(mine);
      lists.send_places[i] = lists.receive_places[i] = count_of(r * mine);
    }
  }
  /// The operand's blocks one after the other.
  const std::byte* packed(const std::byte* x) {
    if (sends_from_place(spec)) return x;
    std::byte* blocks = take(spec.parts * mine);
    const CopySpec copy = pack(spec);
    for (std::int64_t r = 0; r < spec.parts; ++r) {
      const void* from = x + r * spec.source_step * size();
      void* to = blocks + r * mine * size();
      const Call call{&from, &to, nullptr};
      runtime::copy(*pool, copy, &call, 1);
    }
    return blocks;
  }

  bool arrived(Channel& channel, bool wait) {
    if (wait) channel.wait(transfer);
    return channel.test(transfer);
  }
  State advance(bool wait) {
    if (state == State::first && arrived(*group->channel, wait)) add_up();
    if (state == State::second && arrived(*group->second, wait)) end();
    return state;
  }
  void add_up() {
    if (added_by_library) return end();
    void* sum = part ? part : total;
    for (std::size_t r = 0; r < group->sources.size(); ++r)
      group->sources[r] = received + static_cast<std::int64_t>(r) * mine * size();
    const Call call{group->sources.data(), &sum, nullptr};
    combine(*pool, spec.dtype, spec.combine, mine, group->size, &call, 1);
    if (!part) return end();
    transfer =
        group->second->begin_all_gather(part, count_of(mine), total, lists.send_counts.data(),
                                        lists.send_places.data(), static_cast<int>(size()));
    state = State::second;
  }
  void end() {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::memcpy(results[i], total + place, static_cast<std::size_t>(bytes[i]));
      place += bytes[i];
    }
    groups->give_room(std::move(room));
    state = State::ended;
  }
};

Begun::Begun() : sum_(std::make_unique<Sum>()) {}
Begun::~Begun() = default;

std::int64_t Begun::begin(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                          const void* const* x, void* const* y) {
  Sum& s = *sum_;
  MTFC_CHECK(s.state == State::ended, "a sum is begun twice");
  s.groups = &groups;
  s.pool = &pool;
  s.spec = bucket.size() == 1 ? bucket[0] : packed(bucket);
  s.group = &groups.along_twice(s.spec.axes);
  s.lists.resize(static_cast<std::size_t>(s.group->size));
  s.room = groups.take_room(bucket_scratch(bucket));
  s.free = s.room.data();
  s.received = s.part = nullptr;
  s.added_by_library = false;
  s.bytes.clear();
  s.results.assign(y, y + bucket.size());
  const auto* from = static_cast<const std::byte*>(x[0]);
  s.total = static_cast<std::byte*>(y[0]);
  if (bucket.size() > 1) {
    std::byte* all = s.take(s.spec.source_elements);
    s.total = s.take(s.spec.source_elements);
    from = all;
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      s.bytes.push_back(bucket[i].source_elements * s.size());
      std::memcpy(all, x[i], static_cast<std::size_t>(s.bytes.back()));
      all += s.bytes.back();
    }
  }
  s.begin(from);
  groups.begin(*this);
  return s.sent * s.size();
}

void Begun::finish() {
  if (sum_->state != State::ended) sum_->groups->finish(*this);
}

Underway::State Begun::advance(bool wait) { return sum_->advance(wait); }

}  // namespace mtfc::runtime::net
