#include "train/emitted/emitted_stages.h"

namespace mtfc::runtime {

PipelinePlan whole_plan(const EmittedStages& stages) {
  PipelinePlan plan = stages.plan;
  for (const auto& [stage, variable] : stages.variables) {
    const EmittedModule& module = *stages.modules[static_cast<std::size_t>(stage)];
    plan.variables.push_back(
        {info_of(module.variables[static_cast<std::size_t>(variable)]), stage});
  }
  return plan;
}

}  // namespace mtfc::runtime
