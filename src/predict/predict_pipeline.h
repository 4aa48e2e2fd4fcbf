// The time of a training step of a pipeline on a machine.
#pragma once
#include "cost/pipeline_cost.h"
#include "pipeline/task_times.h"
#include "predict/mapping.h"

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

/// The mesh of all stages: its first axis are the stages.
Mesh mesh_of_stages(const Mesh& stage, std::int64_t stages);
/// From the mapping of that mesh: the axes of a stage keep their numbers, and that of the stages is
/// behind them.
Mapping mapping_of_stage(Mapping of_stages, std::size_t axes);

/// How many stages of this mesh take the place of a pipeline with so many processors: a stage whose
/// mesh is its own lies on a machine as one of these.
std::int64_t stages_like(const Mesh& stage, std::int64_t processors);

/// Seconds of a message between neighbouring stages and of the gather behind it. `stages`: the axis
/// that they lie along.
double send_seconds(const backends::StageSend& send, AxisId stages, const Machine& machine,
                    const Mapping& mapping);

/// Each part as `predict` would time it as a program; sends as a message between neighbouring
/// stages, and the gather behind it. `mappings`: by stage, as `mapping_of_stage` gives them.
PipelinePrediction predict(const PipelineModule& module, const backends::PipelineCost& cost,
                           const Machine& machine, const std::vector<Mapping>& mappings);
/// Of stages that have one.
PipelinePrediction predict(const PipelineModule& module, const backends::PipelineCost& cost,
                           const Machine& machine, const Mapping& mapping);

}  // namespace mtfc::predict
