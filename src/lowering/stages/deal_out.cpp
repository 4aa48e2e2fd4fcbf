#include "lowering/stages/deal_out.h"

#include <algorithm>
#include <set>

#include "ops/inputs.h"
#include "support/check.h"

namespace mtfc::lowering {
namespace {

using Paths = std::set<std::string>;

/// What a part reads and writes, as a graph and as a program.
void add_variables(const Program& program, Paths& paths) {
  for (const Instruction& at : program.instructions) {
    if (const auto* read = std::get_if<Read>(&at.kind)) paths.insert(read->variable);
    if (const auto* write = std::get_if<Write>(&at.kind)) paths.insert(write->variable);
  }
}
void add_variables(const Graph& graph, Paths& paths) {
  for (const Operation& op : graph.ops)
    if (const std::string* read = ops::variable_read(op)) paths.insert(*read);
  for (const Output& output : graph.outputs)
    if (output.kind == Output::Kind::variable || output.kind == Output::Kind::accumulate)
      paths.insert(output.name);
}

/// What the stage runs, of the whole or of what was made for the stage alone.
Module module_of_stage(const Compilation& made, const StageCut& cut, int stage) {
  const Module& whole = made.module;
  Module module;
  module.model_path = whole.model_path;
  module.mesh = whole.mesh;
  module.dims = whole.dims;
  module.inputs = whole.inputs;
  Paths paths;
  for (const Graph& graph : made.graphs) {
    const StagePart& part = cut.part(graph.name);
    if (part.stage != stage) continue;
    const Program* program = whole.find(part.name);
    MTFC_CHECK(program != nullptr, "no program " + part.name);
    module.programs.push_back(*program);
    add_variables(graph, paths);
    add_variables(*program, paths);
    for (const StepProgram& step : whole.step)
      if (step.program == part.name) module.step.push_back(step);
  }
  for (const ModuleVariable& variable : whole.variables)
    if (paths.contains(variable.path)) module.variables.push_back(variable);
  return module;
}

/// Whole programs in the place of their parts.
std::vector<StepProgram> whole_step(const State& state) {
  const StageCut& cut = state.cut;
  std::vector<StepProgram> step;
  for (const StepProgram& one : state.step)
    for (const StagePart& part : cut.parts)
      if (part.name == one.program && (step.empty() || step.back().program != part.program))
        step.push_back({part.program, one.microbatches});
  return step;
}

/// All but the modules of the stages.
PipelineModule without_stages(const State& state) {
  MTFC_CHECK(state.assignment.stages, "no pipeline");
  const Stages& stages = *state.assignment.stages;
  PipelineModule made;
  made.shape = {stages.schedule, stages.count, stages.chunks, state.model.microbatch.count};
  made.step = whole_step(state);
  Paths crossing;
  for (const Crossing& one : state.cut.crossings) crossing.insert(one.variable);
  for (const Variable& variable : state.model.variables)
    if (!crossing.contains(variable.path)) made.variables.push_back(variable.path);
  made.cut = state.cut;
  return made;
}

}  // namespace

PipelineModule deal_out(const StageStates& states) {
  PipelineModule made = without_stages(states.whole);
  const std::size_t of_all = made.cut.crossings.size();
  for (int stage = 0; stage < made.shape.stages; ++stage) {
    const bool alone = !states.stages.empty();
    const State& own = alone ? states.stages[static_cast<std::size_t>(stage)] : states.whole;
    made.stages.push_back(module_of_stage(own.made, made.cut, stage));
    if (!alone) continue;
    for (std::size_t i = of_all; i < own.cut.crossings.size(); ++i)
      made.cut.crossings.push_back(own.cut.crossings[i]);  // within the stage
  }
  return made;
}

PipelineModule lower_pipeline(const Model& model, const Assignment& assignment,
                              const Request& request) {
  StageStates states{start(model, assignment, request)};
  for (const Pass& pass : passes()) {
    run(pass, states);
    MTFC_CHECK(states.whole.diagnostics.errors() == 0, "a micro-batch cannot be made");
  }
  return deal_out(states);
}

}  // namespace mtfc::lowering
