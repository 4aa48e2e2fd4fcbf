#include "runtime/net/exchange.h"

#include <algorithm>
#include <cstring>

#include "runtime/kernels.h"

namespace mtfc::runtime::net {
namespace {

class Exchange {
 public:
  Exchange(Groups& groups, Pool& pool, const ExchangeSpec& spec, std::byte* scratch)
      : pool_(pool),
        spec_(spec),
        groups_(groups),
        group_(groups.along(spec.axes)),
        size_(static_cast<std::int64_t>(size_of(spec.dtype))),
        block_(block_elements(spec)),
        scratch_(scratch) {}

  /// Bytes sent to other ranks.
  std::int64_t sent() const { return sent_; }

  void run(const std::byte* x, std::byte* y) {
    if (spec_.by_library && sum_by_library(x, y)) return;
    switch (spec_.kind) {
      case ExchangeSpec::Kind::all_reduce:
        return gathers_all(spec_) ? sum_everything(x, y) : sum_blocks(x, y);
      case ExchangeSpec::Kind::reduce_scatter:
        return reduce_scatter(x, y);
      case ExchangeSpec::Kind::all_gather:
        return all_gather(x, y);
      case ExchangeSpec::Kind::all_to_all:
        return all_to_all(x, y);
      case ExchangeSpec::Kind::permute:
        return permute(x, y);
    }
  }

 private:
  /// False if the library cannot add this type.
  bool sum_by_library(const std::byte* x, std::byte* y) {
    const bool done =
        spec_.kind == ExchangeSpec::Kind::all_reduce
            ? channel().all_reduce(x, y, spec_.source_elements, spec_.dtype, spec_.combine, nullptr)
            : channel().can_add(spec_.dtype, block_) &&
                  channel().reduce_scatter(packed(x), y, block_, spec_.dtype, spec_.combine,
                                           nullptr);
    if (done) count_sent(sent_elements(spec_));
    return done;
  }

  void sum_everything(const std::byte* x, std::byte* y) {
    channel().all_gather(x, scratch_, block_ * size_);
    count_sent(block_ * others());
    add(scratch_, block_, block_, y);
  }

  /// Everybody adds one part of the elements, the last part being shorter.
  void sum_blocks(const std::byte* x, std::byte* y) {
    Lists& lists = group_.lists;
    const std::int64_t mine = share_out(spec_, group_.number, lists);
    channel().all_to_all(x, lists.send_counts.data(), lists.send_places.data(), scratch_,
                         lists.receive_counts.data(), lists.receive_places.data(), unit());
    count_sent(spec_.source_elements - mine);
    std::byte* sum = scratch_ + received_elements(spec_) * size_;
    add(scratch_, mine, mine, sum);
    channel().all_gather(sum, count_of(mine), y, lists.send_counts.data(), lists.send_places.data(),
                         unit());
    count_sent(mine * others());
  }

  void reduce_scatter(const std::byte* x, std::byte* y) {
    const std::byte* blocks = packed(x);
    std::byte* received = take(spec_.parts * block_);
    swap_blocks(blocks, received);
    add(received, block_, block_, y);
  }

  void all_gather(const std::byte* x, std::byte* y) {
    const std::byte* mine = one_block(x);
    std::byte* received = receives_in_place(spec_) ? y : take(spec_.parts * block_);
    channel().all_gather(mine, received, block_ * size_);
    count_sent(block_ * others());
    place(received, y);
  }

  void all_to_all(const std::byte* x, std::byte* y) {
    const std::byte* blocks = packed(x);
    std::byte* received = receives_in_place(spec_) ? y : take(spec_.parts * block_);
    swap_blocks(blocks, received);
    place(received, y);
  }

  void permute(const std::byte* x, std::byte* y) {
    const int receiver = partner(spec_.held, spec_.wanted);
    const int sender = partner(spec_.wanted, spec_.held);
    const std::byte* mine = one_block(x);
    std::byte* received = receives_in_place(spec_) ? y : take(block_);
    channel().pass(receiver, mine, sender, received, block_ * size_);
    count_sent(receiver == group_.number ? 0 : block_);
    if (received != y) move(unpack(spec_), received, y);
  }

  /// The member that is over `to` what this rank is over `from`.
  int partner(const std::vector<int>& from, const std::vector<int>& to) const {
    const std::vector<std::int64_t>& sizes = groups_.sizes();
    std::vector<std::int64_t> place(groups_.coordinates(), groups_.coordinates() + sizes.size());
    renumber(from, to, sizes.data(), place.data());
    std::int64_t number = 0;
    for (int axis : spec_.axes) {
      const auto i = static_cast<std::size_t>(axis);
      number = number * sizes[i] + place[i];
    }
    return static_cast<int>(number);
  }

  void swap_blocks(const std::byte* from, std::byte* to) {
    channel().all_to_all(from, to, block_ * size_);
    count_sent(block_ * others());
  }

  /// The operand as a block, where everybody gets the same one.
  const std::byte* one_block(const std::byte* x) {
    if (sends_from_place(spec_)) return x;
    std::byte* block = take(block_);
    move(pack(spec_), x, block);
    return block;
  }

  /// The operand's blocks one after the other.
  const std::byte* packed(const std::byte* x) {
    if (sends_from_place(spec_)) return x;
    std::byte* blocks = take(spec_.parts * block_);
    const CopySpec copy = pack(spec_);
    for (std::int64_t r = 0; r < spec_.parts; ++r)
      move(copy, x + r * spec_.source_step * size_, blocks + r * block_ * size_);
    return blocks;
  }

  /// Blocks that stand one after the other to where they belong.
  void place(const std::byte* received, std::byte* y) {
    if (received == y) return;
    const CopySpec copy = unpack(spec_);
    for (std::int64_t r = 0; r < spec_.parts; ++r)
      move(copy, received + r * block_ * size_, y + r * spec_.result_step * size_);
  }

  void move(const CopySpec& copy, const void* from, void* to) {
    const Call call{&from, &to, nullptr};
    runtime::copy(pool_, copy, &call, 1);
  }

  /// Adds `parts` runs of `elements` that begin `step` apart, in ascending order.
  void add(const std::byte* from, std::int64_t step, std::int64_t elements, void* to) {
    for (std::size_t r = 0; r < group_.sources.size(); ++r)
      group_.sources[r] = from + static_cast<std::int64_t>(r) * step * size_;
    const Call call{group_.sources.data(), &to, nullptr};
    combine(pool_, spec_.dtype, spec_.combine, elements, group_.size, &call, 1);
  }

  void count_sent(std::int64_t elements) { sent_ += elements * size_; }
  std::int64_t others() const { return group_.size - 1; }
  Channel& channel() { return *group_.channel; }
  int unit() const { return static_cast<int>(size_); }

  std::byte* take(std::int64_t elements) {
    std::byte* room = scratch_;
    scratch_ += elements * size_;
    return room;
  }

  Pool& pool_;
  const ExchangeSpec& spec_;
  const Groups& groups_;
  Group& group_;
  std::int64_t size_, block_;
  std::int64_t sent_ = 0;
  std::byte* scratch_;
};

}  // namespace

std::int64_t received_elements(const ExchangeSpec& spec) {
  return spec.parts * ((spec.source_elements + spec.parts - 1) / spec.parts);
}

std::int64_t share_out(const ExchangeSpec& spec, int number, Lists& lists) {
  const std::int64_t n = spec.source_elements, part = received_elements(spec) / spec.parts;
  const auto length = [&](std::int64_t r) {
    return std::clamp(n - r * part, std::int64_t{0}, part);
  };
  const std::int64_t mine = length(number);
  for (std::size_t i = 0; i < lists.send_counts.size(); ++i) {
    const auto r = static_cast<std::int64_t>(i);
    lists.send_counts[i] = count_of(length(r));
    lists.send_places[i] = count_of(std::min(n, r * part));
    lists.receive_counts[i] = count_of(mine);
    lists.receive_places[i] = count_of(r * mine);
  }
  return mine;
}

std::int64_t exchange(Groups& groups, Pool& pool, const ExchangeSpec& spec, const void* x, void* y,
                      void* scratch) {
  Exchange one(groups, pool, spec, static_cast<std::byte*>(scratch));
  one.run(static_cast<const std::byte*>(x), static_cast<std::byte*>(y));
  return one.sent();
}

std::int64_t exchange(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                      const void* const* x, void* const* y, void* scratch) {
  if (bucket.size() == 1) return exchange(groups, pool, bucket[0], x[0], y[0], scratch);
  const ExchangeSpec all = packed(bucket);
  const std::size_t size = size_of(all.dtype);
  const std::size_t bytes = static_cast<std::size_t>(all.source_elements) * size;
  auto* from = static_cast<std::byte*>(scratch);
  std::byte* to = from + bytes;
  std::size_t place = 0;
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    const std::size_t length = static_cast<std::size_t>(bucket[i].source_elements) * size;
    std::memcpy(from + place, x[i], length);
    place += length;
  }
  const std::int64_t sent = exchange(groups, pool, all, from, to, to + bytes);
  place = 0;
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    const std::size_t length = static_cast<std::size_t>(bucket[i].source_elements) * size;
    std::memcpy(y[i], to + place, length);
    place += length;
  }
  return sent;
}

}  // namespace mtfc::runtime::net
