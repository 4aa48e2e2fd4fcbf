#include "cost/pipeline_cost.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "pipeline/schedule.h"

namespace mtfc::cost {
namespace {

const StagePart& part(const PipelineModule& module, int number) {
  return module.cut.parts[static_cast<std::size_t>(number)];
}

std::int64_t bytes_of(const Module& module, const std::string& variable) {
  const ModuleVariable* found = module.find_variable(variable);
  if (found == nullptr) return 0;
  return shard_bytes(module.dims, module.mesh, found->type);
}

/// The chunk in whose passes the stage holds it, from a forward pass of its own until a backward
/// pass: the first of those that have it, whose backward pass comes last. None: it holds it no
/// longer than it computes.
std::optional<int> holding_chunk(const PipelineModule& module, const Crossing& crossing,
                                 int stage) {
  bool forward = false, backward = false;
  int first = module.shape.chunks;
  const auto look = [&](const StagePart& one) {
    if (one.stage != stage) return;
    forward = forward || one.pass == StagePart::Pass::forward;
    backward = backward || one.pass == StagePart::Pass::backward;
    first = std::min(first, one.chunk);
  };
  look(part(module, crossing.from));
  for (const int to : crossing.to) look(part(module, to));
  return forward && backward ? std::optional(first) : std::nullopt;
}

double flops_of(const Cost& cost, const std::string& program) {
  double sum = 0;
  for (const ProgramWork& work : cost.work)
    if (work.program == program)
      for (const Work& one : work.instructions) sum += one.flops;
  return sum;
}

/// How often a part runs in a step; 0: it is none of a step.
std::int64_t times(const PipelineModule& module, const StagePart& part) {
  for (const StepProgram& step : module.step)
    if (step.program == part.program) return step.microbatches;
  return 0;
}

StageCost cost_of_stage(const PipelineModule& module, int stage, Cost of_step) {
  const Module& own = module.stages[static_cast<std::size_t>(stage)];
  StageCost cost;
  cost.cost = std::move(of_step);
  cost.parameters = cost.cost.parameters;
  cost.held_bytes.resize(static_cast<std::size_t>(module.shape.chunks));
  for (const Crossing& crossing : module.cut.crossings) {
    const std::optional<int> chunk = holding_chunk(module, crossing, stage);
    if (!crossing.steady && chunk)
      cost.held_bytes[static_cast<std::size_t>(*chunk)] += bytes_of(own, crossing.variable);
  }
  for (const Crossing& crossing : module.cut.crossings) {
    const StagePart& from = part(module, crossing.from);
    const std::int64_t bytes = bytes_of(own, crossing.variable);
    // What evaluations send is not there in a step.
    if (times(module, from) == 0)
      cost.cost.variable_bytes -= bytes;
    else if (from.pass != StagePart::Pass::other)
      cost.crossing_bytes += bytes;
  }
  const std::vector<pipeline::Task> order = pipeline::order(module.shape, stage);
  cost.in_flight = pipeline::most_in_flight(order);
  const std::vector<std::int64_t> passes = pipeline::most_in_flight(order, cost.held_bytes);
  cost.most_held_bytes =
      std::inner_product(passes.begin(), passes.end(), cost.held_bytes.begin(), std::int64_t{0});
  return cost;
}

/// The axes along which the processors hold the same shard.
std::vector<AxisId> axes_alike(const Module& module, const ModuleVariable& variable) {
  const std::vector<AxisId> varying = varying_axes(variable.type.sharding);
  std::vector<AxisId> alike;
  for (std::size_t i = 0; i < module.mesh.axes.size(); ++i)
    if (const AxisId axis{static_cast<std::int32_t>(i)}; !contains(varying, axis))
      alike.push_back(axis);
  return alike;
}

/// Of the variable, what one of the processors that hold the same shard answers for.
double part_bytes(const Module& module, const ModuleVariable& variable) {
  return static_cast<double>(bytes_of(module, variable.path)) /
         static_cast<double>(module.mesh.size(axes_alike(module, variable)));
}

/// One for each pair of parts and each set of axes along which it is gathered.
std::vector<StageSend> sends_of(const PipelineModule& module) {
  std::map<std::tuple<std::pair<int, int>, bool, std::vector<AxisId>>, StageSend> found;
  for (const Crossing& crossing : module.cut.crossings) {
    std::set<int> stages{part(module, crossing.from).stage};
    for (const int to : crossing.to) {
      if (!stages.insert(part(module, to).stage).second) continue;
      const Module& sender = module.module_of(part(module, crossing.from));
      const Module& receiver = module.module_of(part(module, to));
      const ModuleVariable* there = sender.find_variable(crossing.variable);
      const ModuleVariable* here = receiver.find_variable(crossing.variable);
      if (there == nullptr || here == nullptr) continue;
      const std::vector<AxisId> alike = axes_alike(receiver, *here);
      StageSend& send = found[{{crossing.from, to}, crossing.steady, alike}];
      send.from = crossing.from, send.to = to, send.gathered = alike, send.steady = crossing.steady;
      send.bytes += part_bytes(sender, *there);
      send.received += part_bytes(receiver, *here);
      send.gathered_bytes += static_cast<double>(bytes_of(receiver, crossing.variable));
    }
  }
  std::vector<StageSend> all;
  for (const auto& [key, send] : found) all.push_back(send);
  return all;
}

template <typename StepCost>
PipelineCost add_up(const PipelineModule& module, const StepCost& cost_of_step) {
  PipelineCost cost;
  for (std::size_t i = 0; i < module.stages.size(); ++i)
    cost.stages.push_back(
        cost_of_stage(module, static_cast<int>(i), cost_of_step(module.stages[i])));
  cost.sends = sends_of(module);
  cost.pass_flops.resize(static_cast<std::size_t>(module.shape.virtual_stages()));
  for (const StagePart& one : module.cut.parts) {
    if (one.pass == StagePart::Pass::other) continue;
    StageCost& stage = cost.stages[static_cast<std::size_t>(one.stage)];
    pipeline::StageTimes& pass =
        cost.pass_flops[static_cast<std::size_t>(one.virtual_stage(module.shape))];
    const double flops = flops_of(stage.cost, one.name);
    const bool backward = one.pass == StagePart::Pass::backward;
    (backward ? pass.backward : pass.forward) += flops;
    (backward ? stage.backward_flops : stage.forward_flops) += flops;
  }
  return cost;
}

}  // namespace

std::int64_t StageCost::memory() const {
  // What crosses is a variable, and in the memory of the step once.
  const std::int64_t once = std::accumulate(held_bytes.begin(), held_bytes.end(), std::int64_t{0});
  return cost.memory_per_processor() + std::max<std::int64_t>(most_held_bytes - once, 0);
}

double PipelineCost::sent(const PipelineModule& module, int stage) const {
  double sum = 0;
  for (const StageSend& send : sends)
    if (part(module, send.from).stage == stage)
      sum += send.bytes * static_cast<double>(times(module, send));
  return sum;
}

std::int64_t times(const PipelineModule& module, const StageSend& send) {
  const std::int64_t passes = times(module, part(module, send.from));
  return send.steady ? std::min<std::int64_t>(passes, 1) : passes;
}

std::int64_t PipelineCost::most_memory() const {
  std::int64_t most = 0;
  for (const StageCost& stage : stages) most = std::max(most, stage.memory());
  return most;
}

MostMemory PipelineCost::most_memory_of_run() const {
  MostMemory most;
  for (const StageCost& stage : stages)
    if (MostMemory one = stage.cost.most_memory(stage.memory()); one.bytes > most.bytes)
      most = std::move(one);
  return most;
}

PipelineCost cost_of_pipeline(const PipelineModule& module, const SourceMap& sources,
                              const Detail& detail) {
  return add_up(module, [&](const Module& stage) { return cost_of_step(stage, sources, detail); });
}

PipelineCost figures_of_pipeline(const PipelineModule& module, const SourceMap& sources,
                                 const Detail& detail) {
  return add_up(module,
                [&](const Module& stage) { return figures_of_step(stage, sources, detail); });
}

}  // namespace mtfc::cost
