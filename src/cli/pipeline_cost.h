// A layout with a pipeline: what its stages cost, and on a machine the time of a step.
#pragma once
#include <optional>

#include "cli/budget.h"
#include "cli/compile.h"
#include "cli/target.h"
#include "predict/predict_pipeline.h"

namespace mtfc::cli {

struct CostedPipeline {
  PipelineModule module;
  backends::PipelineCost cost;
  std::optional<Target> target;                           // of the mesh of all stages
  std::optional<predict::PipelinePrediction> prediction;  // if there is a target
};
/// Absent: reported; the command ends with `status`.
std::optional<CostedPipeline> cost_pipeline(Session& session, const Compiled& compiled,
                                            int& status);

/// Without a machine: an operation takes the same time everywhere, and sending none.
std::vector<pipeline::TimedTask> passes_by_work(const PipelineModule& module,
                                                const backends::PipelineCost& cost);

/// `mtfc cost` of one. Ends the command.
int cost_of_stages(Session& session, const Compiled& compiled,
                   const std::vector<BudgetLimit>& budget);

}  // namespace mtfc::cli
