// One processor of the mesh as an emitted program sees it: memory, kernels, collectives. One rank
// each.
#pragma once
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "comm/collectives.h"
#include "kernels/kernels.h"
#include "support/aligned_bytes.h"
#include "train/emitted/emitted_module.h"
#include "train/engine.h"

namespace mtfc::runtime {

/// Where a value stands: in a variable's memory, or at a byte of the running program's arena.
struct Slot {
  int variable = -1;
  std::int64_t offset = 0;
};
constexpr Slot arena(std::int64_t offset) { return {-1, offset}; }
constexpr Slot variable(int number) { return {number, 0}; }

/// What one iteration of a repeated block is called with.
struct Iteration {
  std::int64_t frame;         // where its own values begin in the arena
  const Slot* slots;          // what it shares with the rest of the program
  const std::uint64_t* keys;  // of its random samples
};
/// An iteration as a constant.
template <std::size_t slot_count, std::size_t key_count>
struct IterationOf {
  std::int64_t frame;
  std::array<Slot, slot_count> slots;
  std::array<std::uint64_t, key_count> keys;

  operator Iteration() const { return {frame, slots.data(), keys.data()}; }
};

/// One processor: memory of a program's values, kernels, collectives. Not the engine itself, so
/// that emitted code sees what it calls and nothing else.
class Processor {
 public:
  /// All of them outlive it.
  Processor(const EmittedModule& module, Pool& pool, net::Groups& groups);

  // --- What emitted code calls. A function for each kernel: inputs, then results.
  void* at(Slot slot) const;
#define MTFC_KERNEL(function, Spec) \
  void function(const Spec& spec, std::initializer_list<Slot> x, std::initializer_list<Slot> y);
#include "kernels/kernels.def"
#undef MTFC_KERNEL
  /// With other keys for its random samples.
  void map(const MapSpec& spec, std::initializer_list<Slot> x, std::initializer_list<Slot> y,
           const std::uint64_t* keys);
  /// One collective; the tensors of a bucket travel together. An asynchronous one is only started,
  /// and needs no scratch.
  void exchange(const char* axes, const std::vector<ExchangeSpec>& bucket,
                std::initializer_list<Slot> x, std::initializer_list<Slot> y, Slot scratch);
  /// Ends the asynchronous one whose first result is y.
  void wait(Slot y);
  void feed(const EmittedInput& input, Slot y);
  void fetch(const char* kind, const char* name, const net::ShardedTensor& tensor, Slot x);
  /// `bytes` of memory from one place to another.
  void move(std::int64_t bytes, Slot x, Slot y);

  // --- What the engine calls.
  void run(std::size_t program, const Feeds& feeds, std::vector<Fetched>& fetched);
  /// As of Engine.
  void give_back_memory() { arena_ = AlignedBytes(); }
  const Counters& counters(std::size_t program) const { return counters_[program]; }

 private:
  Call call(std::initializer_list<Slot> x, std::initializer_list<Slot> y);
  void make_room(std::int64_t bytes);
  template <class Spec>
  void launch(const Spec& spec, std::initializer_list<Slot> x, std::initializer_list<Slot> y);

  const EmittedModule& module_;
  Pool& pool_;
  net::Groups& groups_;
  net::Collectives collectives_;
  AlignedBytes variables_;  // one behind the other
  std::vector<std::int64_t> variable_offsets_;
  AlignedBytes arena_;              // of the largest program that has run
  std::vector<Counters> counters_;  // by program, of its last run
  std::size_t running_ = 0;
  const Feeds* feeds_ = nullptr;
  std::vector<Fetched>* fetched_ = nullptr;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

}  // namespace mtfc::runtime
