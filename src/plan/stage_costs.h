// What the stages of a pipeline cost by how many iterations they have. Iterations are alike, and so
// are the stages between the first and the last: one small pipeline says it for all.
#pragma once
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pipeline/task_times.h"
#include "plan/compile.h"
#include "plan/examples.h"
#include "predict/machine.h"
#include "predict/map_stages.h"

namespace mtfc::plan {

/// Of one stage; of passes of one of its chunks. Passes are of one micro-batch.
struct StageFigures {
  double forward = 0, backward = 0;                      // seconds
  double computing_forward = 0, computing_backward = 0;  // of these, without communication
  /// The work on examples (plan/examples.h).
  double floor_forward = 0, floor_backward = 0;
  double once = 0;  // seconds of what runs once a step, the stage's own
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

/// From one pipeline whose stages have these numbers of iterations.
class StageCosts {
 public:
  static const std::vector<std::int64_t>& small_cut();
  static std::int64_t small_iterations();

  /// `made`: of the small cut. `mapped`: of the pipeline that is asked for. `machine` outlives
  /// it.
  StageCosts(const CompiledPipeline& made, const std::set<std::string>& examples,
             const predict::Machine& machine, predict::MappedStages mapped);

  /// Of virtual stages too, which are chunks: their passes, what crosses and what is held.
  StageFigures of(int stage, int stages, std::int64_t iterations) const;
  /// All that so many virtual stages send each other with micro-batches.
  std::vector<pipeline::Send> sends(int stages) const;
  /// What one of `stages` stages is sent by another with meshes of their own. `share`: processors
  /// of the other for each of its own.
  std::vector<pipeline::Send> sends(int from, int to, int stages,
                                    const predict::MappedStages& mapped, double share) const;
  /// Seconds of a step beside what one stage does alone once: norms that stages wait for, and
  /// gradients and values that they send each other.
  double once_between() const { return once_between_; }

 private:
  /// What a stage of the small pipeline sends another.
  struct Link {
    pipeline::Send passes;  // without seconds
    backends::StageSend send;
  };
  static std::vector<Link> links_of(const CompiledPipeline& made);

  const predict::Machine& machine_;
  predict::MappedStages mapped_;
  StageFigures first_, inner_, last_, each_;  // with `few` iterations; and one more
  std::vector<Link> links_;
  double once_between_ = 0;
};

/// Of each virtual stage of any compiled pipeline: with chunks, what is no pass is all of its
/// stage.
std::vector<StageFigures> figures_of(const CompiledPipeline& made,
                                     const std::set<std::string>& examples,
                                     const predict::Machine& machine,
                                     const predict::MappedStages& mapped);

}  // namespace mtfc::plan
