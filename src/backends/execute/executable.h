// One program, bound to buffers: every specification and pointer is made once, so that a step
// allocates nothing.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/execute/find_tiles.h"
#include "backends/execute/kernel_launches.h"
#include "backends/execute/memory.h"
#include "backends/execute/recording.h"
#include "backends/execute/summed_parts.h"
#include "backends/execute/sums_of_products.h"
#include "bind/memory_plan.h"
#include "train/engine.h"

namespace mtfc::backends {

class Executable {
 public:
  /// Both outlive it.
  Executable(Memory& memory, const Program& program);
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const Program& program() const { return program_; }
  /// Whether its values still have their memory: a program that needs more may have been made
  /// since.
  bool has_memory() const { return memory_.has_arena(arena_); }
  /// `recording`: null, or what keeps when each instruction ran.
  void run(runtime::Pool& pool, const runtime::Feeds& feeds, std::vector<runtime::Fetched>& fetched,
           Recording* recording);

  // The same in pieces, for comparing two runs: begin, every instruction in order, finish.
  void begin();
  void step(runtime::Pool& pool, std::size_t instruction, const runtime::Feeds& feeds,
            std::vector<runtime::Fetched>& fetched);
  void finish(runtime::Pool& pool);
  /// Fills the results of an instruction, which are about to be computed, with NaN.
  void blank(std::size_t instruction);
  const Buffer& buffer(ValueId value) const { return buffers_[value.at()]; }

  /// What `run` does tile by tile, and which parts of sums it adds at once.
  const std::vector<TiledRange>& tiled() const { return tiled_; }
  const std::map<std::size_t, SummedParts>& summed_parts() const { return summed_parts_; }
  const std::vector<SumOfProducts>& sums_of_products() const { return sums_of_products_; }
  /// Of the last run.
  const runtime::Counters& counters() const { return counters_; }

 private:
  /// What an instruction does at each run. Aliases, reads and writes do nothing.
  struct Step {
    std::vector<KernelLaunches> kernels;
    double flops = 0;
    FeedCopy feed;
    FetchCopy fetch;
    Collective collective;
    runtime::Counters::Collective counter;  // of `collective`
    std::function<void()> wait;             // for a collective that an earlier step started

    bool computes() const { return !kernels.empty() || feed || collective.run; }
  };
  class StepBuilder;

  void plan(const std::vector<bind::Bound>& bound);
  std::byte* address(const bind::BufferLocation& location) const;
  /// Operands and results.
  InstructionBuffers buffers_of(std::size_t instruction) const;
  void prepare_write(const bind::WritePlan& write);
  void run_tiled(runtime::Pool& pool, const TiledRange& range);
  void run_sums(runtime::Pool& pool, std::size_t product, const SummedParts& sums);
  void run_products(runtime::Pool& pool, std::size_t instruction, SumOfProducts& sum);
  KernelLaunches copy_all(const ShardType& type, const Buffer& from, const Buffer& to) const;

  Memory& memory_;
  const Program& program_;
  bind::Plan plan_;
  std::byte* arena_ = nullptr;                       // the memory's
  std::vector<Buffer> buffers_;                      // by ValueId
  std::vector<Step> steps_;                          // by instruction
  std::vector<TiledRange> tiled_;                    // of them run together, in order
  std::map<std::size_t, SummedParts> summed_parts_;  // a contraction and its sum
  std::vector<SumOfProducts> sums_of_products_;
  std::vector<SumOfProducts*> replaced_;  // by instruction: what does its work, or null
  std::vector<KernelLaunches> writes_;    // copies to variables at the end
  runtime::Counters counters_;
};

/// What a run of the program fetches, in order, as zeros.
std::vector<runtime::Fetched> fetched_by(const Program& program, const DimTable& dims);

}  // namespace mtfc::backends
