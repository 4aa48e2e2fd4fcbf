// What the stages of a compiled pipeline cost.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/task_times.h"
#include "plan/price/compile.h"
#include "plan/price/once.h"
#include "plan/space/examples.h"
#include "predict/machine.h"
#include "predict/map_stages.h"

namespace mtfc::plan {

/// Of one stage; of passes of one of its chunks. Passes are of one micro-batch.
struct StageFigures {
  double forward = 0, backward = 0;                      // seconds
  double computing_forward = 0, computing_backward = 0;  // of these, without communication
  /// The work on examples (plan/space/examples.h).
  double floor_forward = 0, floor_backward = 0;
  OnceSeconds once{};  // of the stage's own
  // Bytes: of what lives from step to step; of what crosses to and from other stages, of one
  // micro-batch; what passes work in, and what runs once; of each further micro-batch in flight.
  double variables = 0, crossing = 0, passes_arena = 0, once_arena = 0, held = 0;

  /// This and `times` the other.
  StageFigures plus(const StageFigures& other, double times) const;
  /// Bytes in all with so many micro-batches in flight.
  double memory(std::int64_t in_flight) const {
    return variables + crossing + std::max(passes_arena, once_arena) +
           static_cast<double>(in_flight - 1) * held;
  }
};

/// Of each virtual stage of any compiled pipeline: with chunks, what is no pass is all of its
/// stage.
std::vector<StageFigures> figures_of(const CompiledPipeline& made, const ExampleNames& examples,
                                     const predict::Machine& machine,
                                     const predict::MappedStages& mapped);

/// Whether passes of a stage use what is made in one that is not beside it, but for what the first
/// and the last share for a whole step, as a table. Then stages are no sums over their blocks.
bool reaches_over(const CompiledPipeline& made);

/// What passes of a stage send to passes of another, or parts that run once to or from others.
struct StageLink {
  pipeline::Send passes;  // without seconds
  cost::StageSend send;
  bool is_once = false;  // of `passes` the stages alone count
  int from_part = -1, to_part = -1;
};
std::vector<StageLink> links_of(const CompiledPipeline& made);

/// What stages send each other in a step.
struct StageSends {
  std::vector<pipeline::Send> passes;
  std::vector<OnceSend> once;
};
void add(StageSends& all, const StageSends& more);
/// Adds what `from` sends `to` by a link, which may be one between stages like them. `share`:
/// processors of `to` for each of `from`.
void add(StageSends& all, const StageLink& link, int from, int to, double share,
         const predict::Machine& machine, const predict::MappedStages& mapped);

}  // namespace mtfc::plan
