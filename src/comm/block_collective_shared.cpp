// Block collectives of ranks that reach each other's memory.
#include <algorithm>
#include <new>

#include "comm/block_collective.h"
#include "kernels/combine.h"
#include "kernels/copy_bytes.h"
#include "support/rounding.h"

namespace mtfc::runtime::net {

/// False if members do not reach each other's memory, or there is little to add.
bool BlockCollective::start_in_shared_memory(const std::byte* x) {
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

/// The second transfer says that this rank has done its part: results are complete, and operands
/// are needed no more, when all have.
void BlockCollective::continue_in_shared_memory() {
  adds() ? add_in_shared_memory() : copy_in_shared_memory();
  state_ = AsyncCollective::State::second;
  second().all_gather(&lists_.own, lists_.tensors.data(), sizeof lists_.own, async());
}

std::byte* BlockCollective::there(const MemoryReference& reference) const {
  std::byte* tensor = group_.shared->at(reference);
  if (tensor == nullptr) throw std::bad_alloc();  // the system maps no more
  return tensor;
}

/// This rank's part, from the operands of all into the results of all.
void BlockCollective::add_in_shared_memory() {
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
void BlockCollective::copy_in_shared_memory() {
  const std::int64_t block = mine_ * size();
  const std::int64_t begin =
      spec_.kind == ExchangeSpec::Kind::all_to_all ? group_.number * block : 0;
  const auto me = static_cast<std::size_t>(group_.number);
  for (std::size_t r = 0; r < lists_.tensors.size(); ++r)
    group_.sources[r] = (r == me ? own_ : there(lists_.tensors[r].x)) + begin;
  constexpr std::int64_t piece = 1 << 18;
  const std::int64_t pieces = ceil_div(block, piece);
  pool_.run(group_.size * pieces, [&](std::int64_t i) {
    const std::int64_t r = i / pieces, at = i % pieces * piece;
    copy_bytes(total_ + r * block + at,
               static_cast<const std::byte*>(group_.sources[static_cast<std::size_t>(r)]) + at,
               static_cast<std::size_t>(std::min(piece, block - at)));
  });
}

}  // namespace mtfc::runtime::net
