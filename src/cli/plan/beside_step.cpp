#include "cli/plan/beside_step.h"

#include "cli/session/evaluates.h"
#include "cost/beside_step.h"
#include "layout/assignment.h"
#include "lowering/pipeline.h"
#include "lowering/stages/deal_out.h"
#include "messages/wrap.h"
#include "support/figures.h"
#include "support/json.h"

namespace mtfc::cli {

std::optional<cost::MostMemory> beside_step(const plan::Judged& best, const plan::Models& models,
                                            const SourceMap& sources, const Layout& given) {
  const Model* model = models.find(best.choice.microbatches);
  if (!model) return std::nullopt;
  Diagnostics silent;
  const std::optional<Assignment> assignment =
      lowering::resolve(plan::layout_of(best.choice, given), std::nullopt, *model, silent);
  if (!assignment) return std::nullopt;
  cost::MostMemory most;
  if (assignment->stages) {
    const PipelineModule module = lowering::lower_pipeline(*model, *assignment, {});
    cost::PipelineCost cost = cost::cost_of_pipeline(module, sources);
    cost::count_beside_step(module, sources, evaluates(*model), cost);
    most = cost.most_memory_of_run();
  } else {
    const Module module = lowering::lower(*model, *assignment, {});
    cost::Cost cost = cost::cost_of_step(module, sources);
    cost::count_beside_step(module, sources, evaluates(*model), cost);
    most = cost.most_memory();
  }
  return most.when.empty() ? std::nullopt : std::optional(most);
}

std::string beside_step_text(const std::optional<cost::MostMemory>& most, double memory) {
  if (!most) return "";
  std::string text = "A processor holds more " + most->when + ": " +
                     scaled(static_cast<double>(most->bytes), "B") + ".";
  if (static_cast<double>(most->bytes) > memory)
    text += " That does not fit: a plan counts steps alone.";
  return wrapped(text, {}) + "\n";
}

std::string beside_step_json(const std::optional<cost::MostMemory>& most) {
  if (!most) return "null";
  return json_object({{"bytes", json(most->bytes)}, {"when", json(most->when)}});
}

}  // namespace mtfc::cli
