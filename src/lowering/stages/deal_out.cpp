#include "lowering/stages/deal_out.h"

#include <algorithm>
#include <set>

#include "ir/stage_meshes.h"
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

const StagePart& part_named(const StageCut& cut, const std::string& name) {
  const auto found = std::find_if(cut.parts.begin(), cut.parts.end(),
                                  [&](const StagePart& part) { return part.name == name; });
  MTFC_CHECK(found != cut.parts.end(), "no part " + name);
  return *found;
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
  for (std::size_t i = 0; i < made.graphs.size(); ++i) {
    const StagePart& part = part_named(cut, made.graphs[i].name);
    if (part.stage != stage) continue;
    module.programs.push_back(whole.programs[i]);
    add_variables(made.graphs[i], paths);
    add_variables(module.programs.back(), paths);
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

/// The last pass that sees the graphs of all stages, where meshes differ.
constexpr const char* last_of_all = "prepare-parameters";

/// After that pass: what one stage computes, on its mesh.
State alone(const State& whole, int stage) {
  State own;
  own.model = whole.model;
  own.assignment = of_stage(whole.assignment, stage);
  own.options = whole.options;
  own.request = whole.request;
  own.cut = whole.cut;
  for (const Graph& graph : whole.made.graphs)
    if (part_named(whole.cut, graph.name).stage == stage) own.made.graphs.push_back(graph);
  for (const StepProgram& step : whole.step)
    if (part_named(whole.cut, step.program).stage == stage) own.step.push_back(step);
  return own;
}

PipelineModule lower_each_alone(State state) {
  const Pass* last = find_pass(last_of_all);
  run_after(nullptr, state, last);
  PipelineModule made = without_stages(state);
  for (int stage = 0; stage < made.shape.stages; ++stage) {
    State own = alone(state, stage);
    run_after(last, own);
    made.stages.push_back(module_of_stage(own.made, made.cut, stage));
    for (std::size_t i = state.cut.crossings.size(); i < own.cut.crossings.size(); ++i)
      made.cut.crossings.push_back(own.cut.crossings[i]);  // within the stage
  }
  return made;
}

}  // namespace

PipelineModule deal_out(State state) {
  MTFC_CHECK(state.assignment.stage_meshes.empty(), "stages with meshes of their own");
  PipelineModule made = without_stages(state);
  for (int stage = 0; stage < made.shape.stages; ++stage)
    made.stages.push_back(module_of_stage(state.made, made.cut, stage));
  return made;
}

PipelineModule lower_pipeline(const Model& model, const Assignment& assignment,
                              const Request& request) {
  State state = start(model, assignment, request);
  if (!assignment.stage_meshes.empty()) return lower_each_alone(std::move(state));
  run_after(nullptr, state);
  return deal_out(std::move(state));
}

}  // namespace mtfc::lowering
