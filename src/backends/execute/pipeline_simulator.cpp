#include "backends/execute/pipeline_simulator.h"

#include <algorithm>
#include <set>

#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::backends {
namespace {

std::int64_t microbatch_of(const runtime::Feeds& feeds) {
  const auto number = feeds.find(feed_names::microbatch);
  return number == feeds.end() ? 0 : *number->second.as<std::int32_t>();
}

}  // namespace

PipelineSimulator::PipelineSimulator(PipelineModule module, SimulatorOptions options)
    : module_(std::move(module)),
      parts_(module_.cut.parts.size()),
      held_(module_.stages.size()),
      most_held_(module_.stages.size()) {
  for (const Module& stage : module_.stages)
    stages_.push_back(std::make_unique<Simulator>(stage, options));
  const std::set<std::string> stored(module_.variables.begin(), module_.variables.end());
  for (std::size_t stage = 0; stage < stages_.size(); ++stage)
    for (const ModuleVariable& variable : module_.stages[stage].variables)
      if (stored.contains(variable.path)) home_[variable.path] = static_cast<int>(stage);
  for (std::size_t i = 0; i < module_.cut.crossings.size(); ++i) {
    const Crossing& crossing = module_.cut.crossings[i];
    parts_[static_cast<std::size_t>(crossing.from)].gives.push_back(static_cast<int>(i));
    for (const int part : crossing.to)
      parts_[static_cast<std::size_t>(part)].takes.push_back(static_cast<int>(i));
  }
}

std::vector<int> PipelineSimulator::parts_of(std::string_view program) const {
  for (std::size_t i = 0; i < module_.cut.parts.size(); ++i)
    if (module_.cut.parts[i].name == program) return {static_cast<int>(i)};
  return module_.parts_of(program);
}

bool PipelineSimulator::has_program(std::string_view program) const {
  return !parts_of(program).empty();
}

void PipelineSimulator::run(std::string_view program, const runtime::Feeds& feeds,
                            std::vector<runtime::Fetched>& fetched) {
  const std::vector<int> parts = parts_of(program);
  MTFC_CHECK(!parts.empty(), "no program " + std::string(program));
  for (const int part : parts) run_part(part, feeds, fetched);
}

void PipelineSimulator::run_part(int part, const runtime::Feeds& feeds,
                                 std::vector<runtime::Fetched>& fetched) {
  const StagePart& what = module_.cut.parts[static_cast<std::size_t>(part)];
  const Part& lists = parts_[static_cast<std::size_t>(part)];
  const std::int64_t microbatch = microbatch_of(feeds);
  const auto stage = static_cast<std::size_t>(what.stage);
  note_held(what.stage);
  for (const int number : lists.takes) {
    const Crossing& crossing = module_.cut.crossings[static_cast<std::size_t>(number)];
    const auto held = held_[stage].find({crossing.steady ? 0 : microbatch, number});
    MTFC_CHECK(held != held_[stage].end(), what.name + " runs before it has " + crossing.variable);
    stages_[stage]->set_variable(crossing.variable, held->second.value);
    if (held->second.last_use == part && !crossing.steady) held_[stage].erase(held);
  }
  stages_[stage]->run(what.name, feeds, fetched);
  for (const int crossing : lists.gives) give(crossing, part, microbatch);
  note_held(what.stage);
}

/// To every stage that uses it.
void PipelineSimulator::give(int crossing, int part, std::int64_t microbatch) {
  const Crossing& what = module_.cut.crossings[static_cast<std::size_t>(crossing)];
  if (what.steady && microbatch > 0) return;
  const int from = module_.cut.parts[static_cast<std::size_t>(part)].stage;
  const runtime::HostTensor value =
      stages_[static_cast<std::size_t>(from)]->variable(what.variable);
  for (const int use : what.to) {
    const int to = module_.cut.parts[static_cast<std::size_t>(use)].stage;
    held_[static_cast<std::size_t>(to)][{microbatch, crossing}] = {value, use};
  }
}

/// Counts passes of which the stage has kept something for a backward pass to come.
void PipelineSimulator::note_held(int stage) {
  const auto part = [&](int number) -> const StagePart& {
    return module_.cut.parts[static_cast<std::size_t>(number)];
  };
  std::set<std::pair<std::int64_t, int>> passes;  // micro-batch, chunk
  for (const auto& [key, held] : held_[static_cast<std::size_t>(stage)]) {
    const Crossing& crossing = module_.cut.crossings[static_cast<std::size_t>(key.second)];
    const bool own = part(crossing.from).stage == stage;
    if (own && !crossing.steady && part(held.last_use).pass == StagePart::Pass::backward)
      passes.insert({key.first, part(crossing.from).chunk});
  }
  std::int64_t& most = most_held_[static_cast<std::size_t>(stage)];
  most = std::max(most, static_cast<std::int64_t>(passes.size()));
}

std::vector<runtime::VariableInfo> PipelineSimulator::variables() const {
  std::map<std::string, runtime::VariableInfo> found;
  for (const Module& stage : module_.stages)
    for (runtime::VariableInfo& info : variables_of(stage)) found.emplace(info.path, info);
  std::vector<runtime::VariableInfo> all;
  for (const std::string& path : module_.variables)
    if (const auto info = found.find(path); info != found.end()) all.push_back(info->second);
  return all;
}

Simulator& PipelineSimulator::stage_of(std::string_view variable) const {
  const auto home = home_.find(variable);
  MTFC_CHECK(home != home_.end(), "no variable " + std::string(variable));
  return *stages_[static_cast<std::size_t>(home->second)];
}

runtime::HostTensor PipelineSimulator::variable(std::string_view path) {
  return stage_of(path).variable(path);
}

void PipelineSimulator::set_variable(std::string_view path, const runtime::HostTensor& value) {
  stage_of(path).set_variable(path, value);
}

runtime::Counters PipelineSimulator::counters(std::string_view program) const {
  runtime::Counters total;
  for (const int number : parts_of(program)) {
    const StagePart& part = module_.cut.parts[static_cast<std::size_t>(number)];
    const runtime::Counters one =
        stages_[static_cast<std::size_t>(part.stage)]->counters(part.name);
    total.flops += one.flops;
    total.collectives.insert(total.collectives.end(), one.collectives.begin(),
                             one.collectives.end());
  }
  return total;
}

std::string PipelineSimulator::replica_error() const {
  for (const std::unique_ptr<Simulator>& stage : stages_)
    if (!stage->replica_error().empty()) return stage->replica_error();
  return "";
}

}  // namespace mtfc::backends
