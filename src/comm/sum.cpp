#include "comm/sum.h"

#include <algorithm>
#include <new>

#include "kernels/combine.h"
#include "kernels/copy_bytes.h"

namespace mtfc::runtime::net {

void Sum::start(const std::byte* x, std::byte* y, std::byte* scratch) {
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
bool Sum::start_by_library(const std::byte* x) {
  if (!first().can_add(spec_.dtype, mine_)) return false;
  if (spec_.kind == ExchangeSpec::Kind::all_reduce)
    first().all_reduce(x, total_, mine_, spec_.dtype, spec_.combine, async());
  else
    first().reduce_scatter(x, total_, mine_, spec_.dtype, spec_.combine, async());
  sent_ = sent_elements(spec_);
  return true;
}

/// Of a sum: all are equal except the last ones, which are shorter.
Sum::Part Sum::part_of(std::int64_t r) const {
  const std::int64_t n = spec_.source_elements,
                     longest = (n + spec_.group_size - 1) / spec_.group_size;
  return {std::min(n, r * longest), std::clamp(n - r * longest, std::int64_t{0}, longest)};
}

/// False if members do not reach each other's memory, or there is little to add.
bool Sum::start_in_shared_memory(const std::byte* x) {
  const bool all_reduce = spec_.kind == ExchangeSpec::Kind::all_reduce;
  if (!group_.shared || gathers_all(spec_)) return false;
  lists_.own = {reference_to(x), all_reduce ? reference_to(total_) : MemoryReference{}};
  // The same on all ranks: they run the same program.
  if (lists_.own.x.process == 0 || (all_reduce && lists_.own.y.process == 0)) return false;
  in_shared_memory_ = true;
  own_ = x;
  sent_ = mine_ * (group_.size - 1);
  if (adds()) take_part(x);
  first().all_gather(&lists_.own, lists_.tensors.data(), sizeof lists_.own, async());
  return true;
}

/// This rank adds up its part of the operand, which stays where it is.
void Sum::take_part(const std::byte* x) {
  const auto [begin, length] = part_of(group_.number);
  mine_ = length;
  own_ = x + begin * size();
  sent_ = spec_.source_elements - mine_;
  if (spec_.kind != ExchangeSpec::Kind::all_reduce) return;
  part_ = total_ + begin * size();
  sent_ += mine_ * (group_.size - 1);
}

/// Every rank gets its part of the others' operands.
void Sum::exchange_parts(const std::byte* x) {
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

AsyncCollective::State Sum::advance(bool wait) {
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

/// The second transfer says that this rank has done its part: results are complete, and operands
/// are needed no more, when all have.
void Sum::continue_in_shared_memory() {
  adds() ? add_in_shared_memory() : copy_in_shared_memory();
  state_ = AsyncCollective::State::second;
  second().all_gather(&lists_.own, lists_.tensors.data(), sizeof lists_.own, async());
}

std::byte* Sum::there(const MemoryReference& reference) const {
  std::byte* tensor = group_.shared->at(reference);
  if (tensor == nullptr) throw std::bad_alloc();  // the system maps no more
  return tensor;
}

/// This rank's part, from the operands of all into the results of all.
void Sum::add_in_shared_memory() {
  const bool all_reduce = spec_.kind == ExchangeSpec::Kind::all_reduce;
  const std::int64_t begin = part_of(group_.number).begin * size();
  const auto me = static_cast<std::size_t>(group_.number);
  for (std::size_t r = 0; r < lists_.tensors.size(); ++r) {
    const auto& [x, y] = lists_.tensors[r];
    group_.sources[r] = r == me ? own_ : there(x) + begin;
    if (all_reduce) group_.results[r] = r == me ? part_ : there(y) + begin;
  }
  if (!all_reduce) group_.results[0] = total_;
  const Call call{group_.sources.data(), group_.results.data(), nullptr};
  combine(pool_, spec_.dtype, spec_.combine, mine_, group_.size, &call, 1,
          all_reduce ? group_.size : 1);
}

/// From each operand the block that is for this rank, or all of it.
void Sum::copy_in_shared_memory() {
  const std::int64_t block = mine_ * size();
  const std::int64_t begin =
      spec_.kind == ExchangeSpec::Kind::all_to_all ? group_.number * block : 0;
  const auto me = static_cast<std::size_t>(group_.number);
  for (std::size_t r = 0; r < lists_.tensors.size(); ++r)
    group_.sources[r] = (r == me ? own_ : there(lists_.tensors[r].x)) + begin;
  constexpr std::int64_t piece = 1 << 18;
  const std::int64_t pieces = (block + piece - 1) / piece;
  pool_.run(group_.size * pieces, [&](std::int64_t i) {
    const std::int64_t r = i / pieces, at = i % pieces * piece;
    copy_bytes(total_ + r * block + at,
               static_cast<const std::byte*>(group_.sources[static_cast<std::size_t>(r)]) + at,
               static_cast<std::size_t>(std::min(piece, block - at)));
  });
}

void Sum::add_up() {
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
