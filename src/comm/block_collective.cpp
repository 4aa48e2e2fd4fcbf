#include "comm/block_collective.h"

#include <algorithm>

#include "kernels/combine.h"
#include "support/rounding.h"

namespace mtfc::runtime::net {

void BlockCollective::start(const std::byte* x, std::byte* y, std::byte* scratch) {
  state_ = AsyncCollective::State::first;
  total_ = y;
  mine_ = block_elements(spec_);
  if (spec_.by_library && start_by_library(x)) return;
  if (start_in_shared_memory(x)) return;
  if (!adds()) {
    spec_.kind == ExchangeSpec::Kind::all_gather
        ? first().all_gather(x, total_, mine_ * size(), async())
        : first().all_to_all(x, total_, mine_ * size(), async());
    sent_ = mine_ * (group_.size - 1);
    return;
  }
  received_ = scratch;
  if (spec_.kind == ExchangeSpec::Kind::reduce_scatter || !gathers_all(spec_))
    return exchange_parts(x);
  first().all_gather(x, received_, mine_ * size(), async());
  sent_ = mine_ * (group_.size - 1);
}

/// False if the library cannot add this type.
bool BlockCollective::start_by_library(const std::byte* x) {
  if (!first().can_add(spec_.dtype, mine_)) return false;
  if (spec_.kind == ExchangeSpec::Kind::all_reduce)
    first().all_reduce(x, total_, mine_, spec_.dtype, spec_.combine, async());
  else
    first().reduce_scatter(x, total_, mine_, spec_.dtype, spec_.combine, async());
  sent_ = sent_elements(spec_);
  return true;
}

/// Of a sum: all are equal except the last ones, which are shorter.
BlockCollective::Part BlockCollective::part_of(std::int64_t r) const {
  const std::int64_t n = spec_.source_elements, longest = ceil_div(n, spec_.group_size);
  return {std::min(n, r * longest), std::clamp(n - r * longest, std::int64_t{0}, longest)};
}

/// This rank adds up its part of the operand, which stays where it is.
void BlockCollective::take_part(const std::byte* x) {
  const auto [begin, length] = part_of(group_.number);
  mine_ = length;
  own_ = x + begin * size();
  sent_ = spec_.source_elements - mine_;
  if (spec_.kind != ExchangeSpec::Kind::all_reduce) return;
  part_ = total_ + begin * size();
  sent_ += mine_ * (group_.size - 1);
}

/// Every rank gets its part of the others' operands.
void BlockCollective::exchange_parts(const std::byte* x) {
  const int me = group_.number;
  take_part(x);
  for (int r = 0; r < group_.size; ++r) {
    const auto i = static_cast<std::size_t>(r);
    const Part part = part_of(r);
    lists_.send_counts[i] = r == me ? 0 : count_of(part.length);
    lists_.send_offsets[i] = count_of(part.begin);
    lists_.receive_counts[i] = r == me ? 0 : count_of(mine_);
    lists_.receive_offsets[i] = count_of((r < me ? r : r - 1) * mine_);
  }
  lists_.receive_offsets[static_cast<std::size_t>(me)] = 0;
  first().all_to_all(x, lists_.send_counts.data(), lists_.send_offsets.data(), received_,
                     lists_.receive_counts.data(), lists_.receive_offsets.data(),
                     static_cast<int>(size()), async());
}

AsyncCollective::State BlockCollective::advance(bool wait) {
  const auto arrived = [&](Channel& channel) {
    if (wait) channel.wait(transfer_);
    return channel.test(transfer_);
  };
  if (state_ == AsyncCollective::State::first && arrived(first()))
    in_shared_memory_ ? continue_in_shared_memory() : add_up();
  if (state_ == AsyncCollective::State::second && arrived(second()))
    state_ = AsyncCollective::State::ended;
  return state_;
}

void BlockCollective::add_up() {
  state_ = part_ ? AsyncCollective::State::second : AsyncCollective::State::ended;
  if (!received_) return;  // gathered, or added by the library
  void* sum = part_ ? part_ : total_;
  const std::byte* next = received_;
  for (int r = 0; r < group_.size; ++r) {
    const bool is_own = own_ && r == group_.number;
    group_.sources[static_cast<std::size_t>(r)] = is_own ? own_ : next;
    if (!is_own) next += mine_ * size();
  }
  const Call call{group_.sources.data(), &sum, nullptr};
  combine(pool_, spec_.dtype, spec_.combine, mine_, group_.size, &call, 1);
  if (!part_) return;
  lists_.send_counts[static_cast<std::size_t>(group_.number)] = count_of(mine_);
  second().all_gather(part_, count_of(mine_), total_, lists_.send_counts.data(),
                      lists_.send_offsets.data(), static_cast<int>(size()), async());
}

}  // namespace mtfc::runtime::net
