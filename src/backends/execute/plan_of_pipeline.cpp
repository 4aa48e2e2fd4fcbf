#include "backends/execute/plan_of_pipeline.h"

#include <map>

#include "backends/execute/executable.h"
#include "backends/execute/executor.h"

namespace mtfc::backends {
namespace {

using runtime::PipelinePlan;

PipelinePlan::Part plan_of(const PipelineModule& module, const StagePart& part) {
  const Module& own = module.module_of(part);
  return {part.name,
          part.program,
          part.stage,
          part.chunk,
          part.pass == StagePart::Pass::backward,
          {},
          {},
          fetched_by(*own.find(part.name), own.dims)};
}

}  // namespace

PipelinePlan plan_of(const PipelineModule& module) {
  PipelinePlan plan;
  plan.stages = module.shape.stages;
  for (const Module& stage : module.stages) plan.processors.push_back(stage.mesh.processors());
  for (const StagePart& part : module.cut.parts) plan.parts.push_back(plan_of(module, part));
  for (std::size_t i = 0; i < module.cut.crossings.size(); ++i) {
    const Crossing& crossing = module.cut.crossings[i];
    plan.crossings.push_back({crossing.variable, crossing.from, crossing.to, crossing.steady});
    plan.parts[static_cast<std::size_t>(crossing.from)].gives.push_back(static_cast<int>(i));
    for (const int part : crossing.to)
      plan.parts[static_cast<std::size_t>(part)].takes.push_back(static_cast<int>(i));
  }
  plan.outputs = module.cut.outputs;
  std::map<std::string, PipelinePlan::Variable> found;
  for (std::size_t stage = 0; stage < module.stages.size(); ++stage)
    for (runtime::VariableInfo& info : variables_of(module.stages[stage]))
      found[info.path] = {info, static_cast<int>(stage)};
  for (const std::string& path : module.variables)
    if (const auto variable = found.find(path); variable != found.end())
      plan.variables.push_back(variable->second);
  return plan;
}

}  // namespace mtfc::backends
