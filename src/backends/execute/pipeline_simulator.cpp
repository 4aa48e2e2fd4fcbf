#include "backends/execute/pipeline_simulator.h"

#include <algorithm>

#include "backends/execute/plan_of_pipeline.h"
#include "support/check.h"

namespace mtfc::backends {

using runtime::PipelinePlan;

PipelineSimulator::PipelineSimulator(const PipelineModule& module, SimulatorOptions options)
    : plan_(plan_of(module)), held_(module.stages.size()), most_held_(module.stages.size()) {
  for (const Module& stage : module.stages)
    stages_.push_back(std::make_unique<Simulator>(stage, options));
}

bool PipelineSimulator::has_program(std::string_view program) const {
  return !plan_.parts_of(program).empty();
}

void PipelineSimulator::run(std::string_view program, const runtime::Feeds& feeds,
                            std::vector<runtime::Fetched>& fetched) {
  // None of a program that is empty, as `init` without variables.
  for (const int part : plan_.parts_of(program)) run_part(part, feeds, fetched);
  runtime::sort_fetched(plan_, fetched);
}

void PipelineSimulator::run_part(int number, const runtime::Feeds& feeds,
                                 std::vector<runtime::Fetched>& fetched) {
  const PipelinePlan::Part& part = plan_.part(number);
  const std::int64_t microbatch = runtime::microbatch_of(feeds);
  Held& here = held_[static_cast<std::size_t>(part.stage)];
  note_held(part.stage);
  for (const int taken : part.takes) {
    const PipelinePlan::Crossing& crossing = plan_.crossing(taken);
    const auto held = here.find({crossing.steady ? 0 : microbatch, taken});
    MTFC_CHECK(held != here.end(), part.name + " runs before it has " + crossing.variable);
    stage(part.stage).set_variable(crossing.variable, held->second);
    if (!crossing.steady && plan_.last_use(crossing, part.stage) == number) here.erase(held);
  }
  stage(part.stage).run(part.name, feeds, fetched);
  for (const int crossing : part.gives) give(crossing, microbatch);
  note_held(part.stage);
}

/// To every stage that uses it.
void PipelineSimulator::give(int number, std::int64_t microbatch) {
  const PipelinePlan::Crossing& crossing = plan_.crossing(number);
  if (crossing.steady && microbatch > 0) return;
  const runtime::HostTensor value =
      stage(plan_.part(crossing.from).stage).variable(crossing.variable);
  for (const int to : plan_.receivers(crossing))
    held_[static_cast<std::size_t>(to)][{microbatch, number}] = value;
}

void PipelineSimulator::note_held(int stage) {
  std::vector<runtime::HeldKey> keys;
  for (const auto& [key, value] : held_[static_cast<std::size_t>(stage)]) keys.push_back(key);
  std::int64_t& most = most_held_[static_cast<std::size_t>(stage)];
  most = std::max(most, runtime::passes_held(plan_, stage, keys));
}

std::vector<runtime::VariableInfo> PipelineSimulator::variables() const {
  std::vector<runtime::VariableInfo> all;
  for (const PipelinePlan::Variable& variable : plan_.variables) all.push_back(variable.info);
  return all;
}

runtime::HostTensor PipelineSimulator::variable(std::string_view path) {
  return stage(plan_.variable(path).stage).variable(path);
}

void PipelineSimulator::set_variable(std::string_view path, const runtime::HostTensor& value) {
  stage(plan_.variable(path).stage).set_variable(path, value);
}

runtime::Counters PipelineSimulator::counters(std::string_view program) const {
  runtime::Counters total;
  for (const int number : plan_.parts_of(program)) {
    const PipelinePlan::Part& part = plan_.part(number);
    total += stage(part.stage).counters(part.name);
  }
  return total;
}

std::string PipelineSimulator::replica_error() const {
  for (const std::unique_ptr<Simulator>& stage : stages_)
    if (!stage->replica_error().empty()) return stage->replica_error();
  return "";
}

}  // namespace mtfc::backends
