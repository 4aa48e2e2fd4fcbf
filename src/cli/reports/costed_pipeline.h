// A layout with a pipeline: what its stages cost, and on a machine the time of a step.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "cli/session/target.h"
#include "predict/predict_pipeline.h"
#include "support/json.h"

namespace mtfc::cli {

struct CostedPipeline {
  Stages stages;
  PipelineModule module;
  cost::PipelineCost cost;
  std::string meshes;                       // "4 stages (1f1b) of mesh rows=2, cols=2 each"
  std::optional<predict::Machine> machine;  // if one is named
  // If there is a machine: where the stages lie there, as text too, and what that gives.
  std::optional<predict::MappedStages> mapped;
  std::string where;
  std::optional<predict::PipelinePrediction> prediction;

  std::int64_t processors() const;  // of all stages
  /// Bytes that a processor of the stage sends in a step, within the stage and to others.
  double sent(std::size_t stage) const;
  /// Whether the largest stage fits on a chip of the machine, which is named.
  bool fits() const;
  std::int64_t blocks(std::size_t stage) const;
  /// As predicted; without a machine an operation takes the same time everywhere, and sending none.
  std::vector<pipeline::TimedTask> passes() const;
  /// `schedule`, `chunks`, `microbatches`, `processors`, `stages`, `waiting`.
  JsonFields fields() const;
};
/// Absent: reported; the command ends with `status`.
std::optional<CostedPipeline> cost_pipeline(Session& session, const Model& model,
                                            const Assignment& assignment,
                                            const std::vector<Hardware>& hardware, int& status);

}  // namespace mtfc::cli
