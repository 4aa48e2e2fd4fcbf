// The time of a training step of a pipeline on a machine.
#pragma once
#include "cost/pipeline_cost.h"
#include "pipeline/task_times.h"
#include "predict/map_stages.h"

namespace mtfc::predict {

struct PipelinePrediction {
  double step = 0;                          // seconds
  double once = 0;                          // of these, what runs once a step: the update
  std::vector<pipeline::TimedTask> passes;  // of the micro-batches
  double idle = 0;                          // share of the stages' time in these
  /// Seconds that the products of the model would take at the chips' peak, of all processors
  /// together, and how many these are.
  double peak_model = 0, processors = 0;

  /// Of a processor, on average over the stages: what it computes in the step, what communication
  /// within its stage it waits for, and what of that travels beside computation.
  double computing = 0, exposed = 0, hidden = 0;
  /// The rest: for other stages. What rounding leaves is none.
  double waiting() const {
    const double rest = step - computing - exposed;
    return rest > 1e-9 * step ? rest : 0;
  }

  double mfu() const { return step > 0 ? peak_model / (step * processors) : 0; }
};

/// Seconds of a message from one stage to another, and of the gather behind it.
double send_seconds(const cost::StageSend& send, int from, int to, const Machine& machine,
                    const MappedStages& mapped);

/// Each part as `predict` would time it as a program, on the mesh of its stage and where that lies.
PipelinePrediction predict(const PipelineModule& module, const cost::PipelineCost& cost,
                           const Machine& machine, const MappedStages& mapped);

}  // namespace mtfc::predict
