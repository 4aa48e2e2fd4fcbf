// One collective of adjacent blocks between real ranks. An all_gather or all_to_all is one
// transfer. In a sum every rank adds one part of the elements, in ascending order of the ranks, and
// for an all_reduce sends the sum of its part to all: two transfers with an addition between; one
// transfer for a reduce_scatter, or if all ranks are sent everything. Ranks that share memory send
// each other where their tensors lie: each adds its part from the operands of all straight into the
// results of all, or copies what is for it, and says so in a second transfer.
#pragma once
#include "comm/exchange_spec.h"
#include "comm/groups.h"
#include "kernels/pool.h"

namespace mtfc::runtime::net {

class BlockCollective {
 public:
  /// spec: not a permute; its blocks are adjacent. `async`:
  /// its transfers are only started, the second one on the group's second channel. The arguments
  /// outlive it.
  BlockCollective(Group& group, Lists& lists, Pool& pool, const ExchangeSpec& spec, bool async)
      : group_(group), lists_(lists), pool_(pool), spec_(spec), async_(async) {}

  /// x: the operand, y: the result, scratch: what bucket_scratch has for sums.
  void start(const std::byte* x, std::byte* y, std::byte* scratch);
  /// Continues as far as it can; with `wait` to the end.
  AsyncCollective::State advance(bool wait);
  /// Elements that go to other ranks.
  std::int64_t sent() const { return sent_; }

 private:
  bool start_by_library(const std::byte* x);
  void take_part(const std::byte* x);
  void exchange_parts(const std::byte* x);
  void add_up();
  // --- block_collective_shared.cpp
  bool start_in_shared_memory(const std::byte* x);
  void continue_in_shared_memory();
  void add_in_shared_memory();
  void copy_in_shared_memory();
  std::byte* there(const MemoryReference& reference) const;

  /// The elements that member `r` adds up.
  struct Part {
    std::int64_t begin, length;
  };
  Part part_of(std::int64_t r) const;

  bool adds() const {
    return spec_.kind == ExchangeSpec::Kind::all_reduce ||
           spec_.kind == ExchangeSpec::Kind::reduce_scatter;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(size_of(spec_.dtype)); }
  Channel& first() const { return *group_.channel; }
  Channel& second() const { return async_ ? *group_.second : *group_.channel; }
  Transfer* async() { return async_ ? &transfer_ : nullptr; }

  Group& group_;
  Lists& lists_;
  Pool& pool_;
  const ExchangeSpec& spec_;
  const bool async_;
  AsyncCollective::State state_ = AsyncCollective::State::ended;
  Transfer transfer_;
  std::byte *received_ = nullptr, *total_ = nullptr;
  const std::byte* own_ = nullptr;  // this rank's part, if it is not received
  std::byte* part_ = nullptr;       // its sum, in the result, if it goes to all
  bool in_shared_memory_ = false;
  std::int64_t mine_ = 0, sent_ = 0;
};

}  // namespace mtfc::runtime::net
