#include "lowering/stages/deal_out.h"

#include <algorithm>
#include <set>

#include "ops/inputs.h"
#include "support/check.h"

namespace mtfc::lowering {
namespace {

using Paths = std::set<std::string>;

/// What a part reads and writes.
void add_variables(const Graph& graph, Paths& paths) {
  for (const Operation& op : graph.ops)
    if (const std::string* read = ops::variable_read(op)) paths.insert(*read);
  for (const Output& output : graph.outputs)
    if (output.kind == Output::Kind::variable || output.kind == Output::Kind::accumulate)
      paths.insert(output.name);
}

/// What the stage runs, of the whole.
Module module_of_stage(const Compilation& made, const StageCut& cut, int stage) {
  const Module& whole = made.module;
  Module module;
  module.model_path = whole.model_path;
  module.mesh = whole.mesh;
  module.dims = whole.dims;
  module.inputs = whole.inputs;
  Paths paths;
  for (std::size_t i = 0; i < cut.parts.size(); ++i) {
    const StagePart& part = cut.parts[i];
    if (part.stage != stage) continue;
    MTFC_CHECK(made.graphs[i].name == part.name, "no program " + part.name);
    module.programs.push_back(whole.programs[i]);
    add_variables(made.graphs[i], paths);
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
  made.shape = {stages.schedule, stages.count, stages.chunks, state.model.microbatch.count};
  for (int stage = 0; stage < stages.count; ++stage)
    made.stages.push_back(module_of_stage(state.made, state.cut, stage));
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
