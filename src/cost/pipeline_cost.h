// What the stages of a pipeline compute, hold and send to each other.
#pragma once
#include <vector>

#include "cost/cost.h"
#include "pipeline/pipeline_module.h"
#include "pipeline/task_times.h"

namespace mtfc::cost {

/// Of one processor of a stage.
struct StageCost {
  Cost cost;                    // of its part of a step, with what crosses held once
  std::int64_t parameters = 0;  // elements of those that live here, whole
  double forward_flops = 0, backward_flops = 0;  // of one micro-batch
  /// The most passes, of a micro-batch through a chunk, whose backward pass is still to come, and
  /// the bytes that are held for one of them, by chunk.
  std::int64_t in_flight = 0;
  std::vector<std::int64_t> held_bytes;
  std::int64_t crossing_bytes = 0;   // of its variables, what passes send and get, once
  std::int64_t most_held_bytes = 0;  // at one time, for all in flight

  /// Every pass in flight has what is held for it.
  std::int64_t memory() const;
};

/// What goes from one part to another, once for each micro-batch (of a program without passes:
/// each time it runs). All shards of the sending stage together have it once: what replicas hold
/// alike, each of them sends a part of, and the replicas of the other stage gather the parts.
struct StageSend {
  int from = 0, to = 0;          // parts of different stages
  double bytes = 0;              // one processor sends
  double received = 0;           // one of the other stage is sent, before they gather
  std::vector<AxisId> gathered;  // axes of the other stage's mesh along which it is gathered
  bool steady = false;           // only with the first micro-batch
  double gathered_bytes = 0;     // one processor's result of that
};

struct PipelineCost {
  std::vector<StageCost> stages;
  std::vector<StageSend> sends;
  std::vector<pipeline::StageTimes> pass_flops;  // of one micro-batch, by virtual stage

  /// Bytes that a processor of the stage sends to other stages in a step.
  double sent(const PipelineModule& module, int stage) const;
  std::int64_t most_memory() const;  // in a step, of the stage that needs the most
  /// The same in a run, as far as it was counted (cost/beside_step.h).
  MostMemory most_memory_of_run() const;
};

/// How often it is sent in a step.
std::int64_t times(const PipelineModule& module, const StageSend& send);

PipelineCost cost_of_pipeline(const PipelineModule& module, const SourceMap& sources,
                              const Detail& detail = {});
/// The same, of `StageCost::cost` what `figures_of_step` gives.
PipelineCost figures_of_pipeline(const PipelineModule& module, const SourceMap& sources,
                                 const Detail& detail = {});

}  // namespace mtfc::cost
