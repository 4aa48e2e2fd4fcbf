#include "lowering/stages/deal_out.h"

#include <algorithm>
#include <set>

#include "support/check.h"

namespace mtfc::lowering {
namespace {

using Paths = std::set<std::string>;

void add_variables(const Program& program, Paths& paths) {
  for (const Instruction& instruction : program.instructions) {
    if (const auto* read = std::get_if<Read>(&instruction.kind)) paths.insert(read->variable);
    if (const auto* write = std::get_if<Write>(&instruction.kind)) paths.insert(write->variable);
  }
}

/// What the stage runs, of the whole.
Module module_of_stage(const Module& whole, const StageCut& cut, int stage) {
  Module module;
  module.model_path = whole.model_path;
  module.mesh = whole.mesh;
  module.dims = whole.dims;
  module.inputs = whole.inputs;
  Paths paths;
  for (const StagePart& part : cut.parts) {
    if (part.stage != stage) continue;
    const Program* program = whole.find(part.name);
    MTFC_CHECK(program, "no program " + part.name);
    module.programs.push_back(*program);
    add_variables(*program, paths);
    for (const StepProgram& step : whole.step)
      if (step.program == part.name) module.step.push_back(step);
  }
  for (const ModuleVariable& variable : whole.variables)
    if (paths.contains(variable.path)) module.variables.push_back(variable);
  return module;
}

/// Whole programs in the place of their parts.
std::vector<StepProgram> whole_step(const Module& module, const StageCut& cut) {
  std::vector<StepProgram> step;
  for (const StepProgram& one : module.step)
    for (const StagePart& part : cut.parts)
      if (part.name == one.program && (step.empty() || step.back().program != part.program))
        step.push_back({part.program, one.microbatches});
  return step;
}

}  // namespace

PipelineModule deal_out(State state) {
  MTFC_CHECK(state.assignment.stages, "no pipeline");
  const Stages& stages = *state.assignment.stages;
  const Module& whole = state.made.module;
  PipelineModule made;
  made.schedule = stages.schedule;
  made.microbatches = state.model.microbatch.count;
  for (int stage = 0; stage < stages.count; ++stage)
    made.stages.push_back(module_of_stage(whole, state.cut, stage));
  made.step = whole_step(whole, state.cut);
  Paths crossing;
  for (const Crossing& one : state.cut.crossings) crossing.insert(one.variable);
  for (const ModuleVariable& variable : whole.variables)
    if (!crossing.contains(variable.path)) made.variables.push_back(variable.path);
  made.cut = std::move(state.cut);
  return made;
}

PipelineModule lower_pipeline(const Model& model, const Assignment& assignment,
                              const Request& request) {
  State state = start(model, assignment, request);
  run_after(nullptr, state);
  return deal_out(std::move(state));
}

}  // namespace mtfc::lowering
