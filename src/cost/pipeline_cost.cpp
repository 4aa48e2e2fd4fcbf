#include "cost/pipeline_cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "pipeline/schedule.h"

namespace mtfc::backends {
namespace {

const StagePart& part(const PipelineModule& module, int number) {
  return module.cut.parts[static_cast<std::size_t>(number)];
}

std::int64_t bytes_of(const Module& module, const std::string& variable) {
  const ModuleVariable* found = module.find_variable(variable);
  if (found == nullptr) return 0;
  return shard_elements(module.dims, module.mesh, found->type) *
         static_cast<std::int64_t>(size_of(found->type.tensor.dtype));
}

/// Whether the stage holds it from before a backward pass of its own until that.
bool is_held(const PipelineModule& module, const Crossing& crossing, int stage) {
  const auto backward = [&](int number) {
    return part(module, number).stage == stage &&
           part(module, number).pass == StagePart::Pass::backward;
  };
  const auto forward = [&](int number) {
    return part(module, number).stage == stage &&
           part(module, number).pass == StagePart::Pass::forward;
  };
  const bool there_before =
      forward(crossing.from) || std::any_of(crossing.to.begin(), crossing.to.end(), forward);
  return there_before && std::any_of(crossing.to.begin(), crossing.to.end(), backward);
}

double flops_of(const Cost& cost, const std::string& program) {
  double sum = 0;
  for (const ProgramWork& work : cost.work)
    if (work.program == program)
      for (const Work& one : work.instructions) sum += one.flops;
  return sum;
}

StageCost cost_of_stage(const PipelineModule& module, int stage, const SourceMap& sources,
                        const Detail& detail) {
  const Module& own = module.stages[static_cast<std::size_t>(stage)];
  StageCost cost;
  cost.cost = cost_of_step(own, sources, detail);
  cost.parameters = cost.cost.parameters;
  for (const StagePart& one : module.cut.parts) {
    if (one.stage != stage) continue;
    if (one.pass == StagePart::Pass::forward) cost.forward_flops += flops_of(cost.cost, one.name);
    if (one.pass == StagePart::Pass::backward) cost.backward_flops += flops_of(cost.cost, one.name);
  }
  for (const Crossing& crossing : module.cut.crossings)
    if (!crossing.steady && is_held(module, crossing, stage))
      cost.held_bytes += bytes_of(own, crossing.variable);
  cost.in_flight = pipeline::most_in_flight(pipeline::order(
      module.schedule, static_cast<int>(module.stages.size()), stage, module.microbatches));
  return cost;
}

/// One for each pair of parts and each set of axes along which it is gathered.
std::vector<StageSend> sends_of(const PipelineModule& module) {
  std::map<std::tuple<std::pair<int, int>, bool, std::vector<AxisId>>, StageSend> found;
  for (const Crossing& crossing : module.cut.crossings) {
    std::set<int> there{part(module, crossing.from).stage};
    for (const int to : crossing.to) {
      if (!there.insert(part(module, to).stage).second) continue;
      const Module& receiver = module.module_of(part(module, to));
      const ModuleVariable* variable = receiver.find_variable(crossing.variable);
      if (variable == nullptr) continue;
      const std::vector<AxisId> varying = varying_axes(variable->type.sharding);
      std::vector<AxisId> alike;
      for (std::size_t i = 0; i < receiver.mesh.axes.size(); ++i)
        if (const AxisId axis{static_cast<std::int32_t>(i)}; !contains(varying, axis))
          alike.push_back(axis);
      const auto bytes = static_cast<double>(bytes_of(receiver, crossing.variable));
      StageSend& send = found[{{crossing.from, to}, crossing.steady, alike}];
      send.from = crossing.from, send.to = to, send.gathered = alike, send.steady = crossing.steady;
      send.bytes += bytes / static_cast<double>(receiver.mesh.size(alike));
      send.gathered_bytes += bytes;
    }
  }
  std::vector<StageSend> all;
  for (const auto& [key, send] : found) all.push_back(send);
  return all;
}

/// How often a part runs in a step; 0: it is none of a step.
std::int64_t times(const PipelineModule& module, const StagePart& part) {
  for (const StepProgram& step : module.step)
    if (step.program == part.program) return step.microbatches;
  return 0;
}

}  // namespace

std::int64_t StageCost::memory() const {
  return cost.memory_per_processor() + std::max<std::int64_t>(in_flight - 1, 0) * held_bytes;
}

double PipelineCost::sent(const PipelineModule& module, int stage) const {
  double sum = 0;
  for (const StageSend& send : sends)
    if (part(module, send.from).stage == stage)
      sum += send.bytes *
             (send.steady ? 1 : static_cast<double>(times(module, part(module, send.from))));
  return sum;
}

std::int64_t PipelineCost::most_memory() const {
  std::int64_t most = 0;
  for (const StageCost& stage : stages) most = std::max(most, stage.memory());
  return most;
}

PipelineCost cost_of_pipeline(const PipelineModule& module, const SourceMap& sources,
                              const Detail& detail) {
  PipelineCost cost;
  for (int stage = 0; stage < static_cast<int>(module.stages.size()); ++stage)
    cost.stages.push_back(cost_of_stage(module, stage, sources, detail));
  cost.sends = sends_of(module);
  return cost;
}

}  // namespace mtfc::backends
