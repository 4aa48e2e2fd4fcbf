#include "train/emitted/emitted_processor.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"

namespace mtfc::runtime {

Processor::Processor(const EmittedModule& module, Pool& pool, net::Groups& groups)
    : module_(module), pool_(pool), groups_(groups), collectives_(groups) {
  std::int64_t most = 0, all = 0;
  for (const EmittedProgram& program : module.programs) most = std::max(most, program.arena_bytes);
  for (const EmittedVariable& variable : module.variables) {
    variable_offsets_.push_back(all);
    all += aligned(variable.form->tensor.shard_bytes());
  }
  AlignedBytes::require(most + all);  // before the first is written to
  variables_ = groups.allocate(all);
  counters_.resize(module.programs.size());
}

void* Processor::at(Slot slot) const {
  return slot.variable >= 0
             ? variables_.data() + variable_offsets_[static_cast<std::size_t>(slot.variable)]
             : arena_.data() + slot.offset;
}

Call Processor::call(std::initializer_list<Slot> x, std::initializer_list<Slot> y) {
  groups_.advance();
  inputs_.clear();
  outputs_.clear();
  for (Slot slot : x) inputs_.push_back(at(slot));
  for (Slot slot : y) outputs_.push_back(at(slot));
  return {inputs_.data(), outputs_.data(), groups_.coordinates()};
}

template <class Spec>
void Processor::launch(const Spec& spec, std::initializer_list<Slot> x,
                       std::initializer_list<Slot> y) {
  const Call one = call(x, y);
  run_kernel(pool_, spec, &one, 1);
  counters_[running_].flops += flops(spec);
}

#define MTFC_KERNEL(function, Spec)                                         \
  void Processor::function(const Spec& spec, std::initializer_list<Slot> x, \
                           std::initializer_list<Slot> y) {                 \
    launch(spec, x, y);                                                     \
  }
#include "kernels/kernels.def"
#undef MTFC_KERNEL

void Processor::map(const MapSpec& spec, std::initializer_list<Slot> x,
                    std::initializer_list<Slot> y, const std::uint64_t* keys) {
  MapSpec keyed = spec;
  for (MapSpec::RandomLeaf& leaf : keyed.random_leaves) leaf.key = *keys++;
  map(keyed, x, y);
}

void Processor::exchange(const char* axes, const std::vector<ExchangeSpec>& bucket,
                         std::initializer_list<Slot> x, std::initializer_list<Slot> y,
                         Slot scratch) {
  const Call one = call(x, y);
  counters_[running_].collectives.push_back(counted(bucket, axes));
  counters_[running_].collectives.back().sent =
      collectives_.run(pool_, bucket, one.inputs, one.outputs, at(scratch));
}

void Processor::wait(Slot y) { collectives_.wait(at(y)); }

void Processor::feed(const EmittedInput& input, Slot y) {
  const auto found = feeds_->find(input.name);
  MTFC_CHECK(found != feeds_->end(), std::string("nothing is fed to ") + input.name);
  net::feed(groups_, pool_, input.tensor, found->second, input.name, at(y));
}

void Processor::fetch(const char* kind, const char* name, const net::ShardedTensor& tensor,
                      Slot x) {
  fetched_->push_back({kind, name, net::assembled(groups_, pool_, tensor, at(x))});
}

void Processor::move(std::int64_t bytes, Slot x, Slot y) {
  std::memcpy(at(y), at(x), static_cast<std::size_t>(bytes));
}

/// Nothing in the arena outlives a run.
void Processor::make_room(std::int64_t bytes) {
  if (arena_.data() != nullptr && arena_.size() >= bytes) return;
  arena_ = AlignedBytes();  // before the larger one begins
  arena_ = groups_.allocate(bytes);
}

void Processor::run(std::size_t program, const Feeds& feeds, std::vector<Fetched>& fetched) {
  running_ = program;
  feeds_ = &feeds;
  fetched_ = &fetched;
  counters_[program].flops = 0;
  counters_[program].collectives.clear();
  make_room(module_.programs[program].arena_bytes);
  module_.programs[program].run(*this);
}

}  // namespace mtfc::runtime
