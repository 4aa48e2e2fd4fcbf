#include "train/emitted/emitted_stages.h"

#include <algorithm>

namespace mtfc::runtime {

int stage_count(const EmittedModule& module) {
  return module.stages == nullptr ? 1 : module.stages->plan.stages;
}

bool has_variable(const EmittedModule& module, std::size_t variable, int stage) {
  if (module.stages == nullptr) return true;
  const PipelinePlan& plan = module.stages->plan;
  const int home = module.stages->homes[variable];
  if (home >= 0) return home == stage;
  const std::string_view path = module.variables[variable].path;
  return std::any_of(plan.crossings.begin(), plan.crossings.end(), [&](const auto& crossing) {
    return crossing.variable == path &&
           (plan.part(crossing.from).stage == stage || plan.last_use(crossing, stage) >= 0);
  });
}

bool has_input(const EmittedModule& module, std::size_t input, int stage) {
  if (module.stages == nullptr) return true;
  const std::vector<int>& own = module.stages->inputs[static_cast<std::size_t>(stage)];
  return std::find(own.begin(), own.end(), static_cast<int>(input)) != own.end();
}

bool has_program(const EmittedModule& module, std::size_t program, int stage) {
  if (module.stages == nullptr) return true;
  const std::vector<PipelinePlan::Part>& parts = module.stages->plan.parts;
  return std::any_of(parts.begin(), parts.end(), [&](const PipelinePlan::Part& part) {
    return part.stage == stage && part.name == module.programs[program].name;
  });
}

PipelinePlan whole_plan(const EmittedModule& module) {
  PipelinePlan plan = module.stages->plan;
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (const int home = module.stages->homes[i]; home >= 0)
      plan.variables.push_back({info_of(module.variables[i]), home});
  return plan;
}

}  // namespace mtfc::runtime
