// One processor of the mesh as an emitted program sees it: memory, kernels, collectives. One rank
// each.
#pragma once
#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/async_sum.h"
#include "comm/exchange.h"
#include "comm/exchange_spec.h"
#include "kernels/kernels.h"
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

/// What one turn of a repeated block is called with.
struct Turn {
  std::int64_t frame;         // where its own values begin in the arena
  const Slot* slots;          // what it shares with the rest of the program
  const std::uint64_t* keys;  // of its random draws
};
/// A turn as a constant.
template <std::size_t slot_count, std::size_t key_count>
struct TurnOf {
  std::int64_t frame;
  std::array<Slot, slot_count> slots;
  std::array<std::uint64_t, key_count> keys;

  operator Turn() const { return {frame, slots.data(), keys.data()}; }
};

/// Aligned memory that lives as long as the run.
class EmittedMemory {
 public:
  EmittedMemory() = default;
  explicit EmittedMemory(std::int64_t bytes);
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
};

class Processor {
 public:
  Processor(const EmittedModule& module, net::Network& network, int threads);

  // --- What emitted code calls. Inputs, then the result or results.
  void* at(Slot slot) const;
  void map(const MapSpec& spec, std::initializer_list<Slot> x, std::initializer_list<Slot> y);
  /// The same with other keys for its random draws.
  void map(const MapSpec& spec, std::initializer_list<Slot> x, std::initializer_list<Slot> y,
           const std::uint64_t* keys);
  void contract(const ContractSpec& spec, Slot a, Slot b, Slot c);
  void reduce(const ReduceSpec& spec, Slot x, Slot y);
  void copy(const CopySpec& spec, Slot x, Slot y);
  void gather(const GatherSpec& spec, std::initializer_list<Slot> x, Slot y);
  void put(const PutSpec& spec, std::initializer_list<Slot> x, Slot y);
  void scatter_add(const ScatterAddSpec& spec, std::initializer_list<Slot> x, Slot y);
  void window(const WindowSpec& spec, Slot x, Slot y);
  void window_add(const WindowAddSpec& spec, Slot y, Slot x);
  void prefix_sum(const PrefixSpec& spec, Slot x, Slot y);
  void top_places(const TopSpec& spec, Slot x, Slot y);
  /// One collective; the tensors of a bucket travel together. One that is only begun needs no
  /// scratch.
  void exchange(const char* axes, const std::vector<ExchangeSpec>& bucket,
                std::initializer_list<Slot> x, std::initializer_list<Slot> y, Slot scratch);
  /// Waits for the one whose first result is y.
  void await(Slot y);
  void feed(const EmittedInput& input, Slot y);
  void fetch(const char* kind, const char* name, const net::ShardedTensor& tensor, Slot x);
  /// `bytes` of memory from one place to another.
  void move(std::int64_t bytes, Slot x, Slot y);

  // --- What the engine calls.
  void run(std::size_t program, const Feeds& feeds, std::vector<Fetched>& fetched);
  HostTensor variable_value(std::size_t number);  // every rank calls it
  void set_variable(std::size_t number, const HostTensor& value);
  std::vector<Share> shares() const;
  HostTensor variable_part(std::size_t number);  // every rank calls it
  void set_variable_part(std::size_t number, const HostTensor& value);
  Block input_part(std::string_view input, const std::vector<std::int64_t>& extents) const;
  const Counters& counters(std::size_t program) const { return counters_[program]; }
  const EmittedModule& module() const { return module_; }
  net::Network& network() const { return groups_.network(); }

 private:
  Call call(std::initializer_list<Slot> x, std::initializer_list<Slot> y);

  const EmittedModule& module_;
  Pool pool_;
  net::Groups groups_;
  std::vector<EmittedMemory> variables_;
  EmittedMemory arena_;             // of the program that runs; the largest's size
  std::vector<Counters> counters_;  // by program, of its last run
  std::size_t running_ = 0;
  const Feeds* feeds_ = nullptr;
  std::vector<Fetched>* fetched_ = nullptr;
  std::map<void*, std::unique_ptr<net::AsyncSum>> async_sums_;  // by first result
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

}  // namespace mtfc::runtime
