// One program, ready to run on a simulated mesh or on one real processor: every buffer, spec and
// pointer in its place, so that a step allocates nothing.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/execute/kernel_launches.h"
#include "backends/execute/memory.h"
#include "bind/memory_plan.h"
#include "train/engine.h"

namespace mtfc::backends {

class Prepared {
 public:
  Prepared(Memory& memory, const Program& program);
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  const Program& program() const { return program_; }
  void run(runtime::Pool& pool, const runtime::Feeds& feeds,
           std::vector<runtime::Fetched>& fetched);

  // The same in pieces, for comparing two runs: begin, every instruction in order, finish.
  void begin();
  void step(runtime::Pool& pool, std::size_t instruction, const runtime::Feeds& feeds,
            std::vector<runtime::Fetched>& fetched);
  void finish(runtime::Pool& pool);
  /// Fills the results of an instruction, which are about to be computed, with NaN.
  void blank(std::size_t instruction);
  const Held& held(ValueId value) const { return values_[value.at()]; }

  /// Of the last run.
  const runtime::Counters& counters() const { return counted_; }

 private:
  struct Step {
    std::vector<KernelCalls> kernels;
    double flops = 0;
    int collective = -1;  // entry in `collectives_`
  };
  friend class StepBuilder;

  void place_values();
  void prepare_edges();
  void prepare_write(const WritePlan& write);
  void feed_shard(runtime::Pool& pool, const std::string& name, const runtime::HostTensor& fed,
                  ValueId value) const;
  void fetch_shard(runtime::Pool& pool, const Fetch& fetch, ValueId value,
                   std::vector<runtime::Fetched>& fetched) const;
  std::byte* address(const Place& place);
  KernelCalls copy_all(const ShardType& type, const Held& from, const Held& to) const;

  Memory& memory_;
  const Program& program_;
  Plan plan_;
  std::byte* arena_ = nullptr;                                             // the memory's
  std::vector<Held> values_;                                               // by ValueId
  std::map<ValueId, std::shared_ptr<runtime::net::AsyncSum>> async_sums_;  // by first result
  std::vector<Step> steps_;                                                // by instruction
  std::vector<KernelCalls> writes_;  // what is copied to variables at the end
  std::vector<runtime::Counters::Collective> collectives_;
  runtime::Counters counted_;
};

}  // namespace mtfc::backends
