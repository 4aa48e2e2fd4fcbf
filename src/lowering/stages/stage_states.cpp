#include "lowering/stages/stage_states.h"

#include "ir/stage_meshes.h"

namespace mtfc::lowering {
namespace {

/// Once stages part: what one of them computes, on its mesh.
State alone(const State& whole, int stage) {
  State own;
  own.model = whole.model;
  own.assignment = of_stage(whole.assignment, stage);
  own.options = whole.options;
  own.request = whole.request;
  own.cut = whole.cut;
  for (const Graph& graph : whole.made.graphs)
    if (whole.cut.part(graph.name).stage == stage) own.made.graphs.push_back(graph);
  for (const StepProgram& step : whole.step)
    if (whole.cut.part(step.program).stage == stage) own.step.push_back(step);
  return own;
}

}  // namespace

std::vector<const State*> StageStates::current() const {
  std::vector<const State*> list;
  for (const State& stage : stages) list.push_back(&stage);
  if (stages.empty()) list.push_back(&whole);
  return list;
}

void run(const Pass& pass, StageStates& states) {
  const Assignment& assignment = states.whole.assignment;
  const bool apart = !assignment.stage_meshes.empty() && &pass > find_pass(last_of_all_stages);
  if (apart && states.stages.empty())
    for (int stage = 0; stage < assignment.stages->count; ++stage)
      states.stages.push_back(alone(states.whole, stage));
  if (states.stages.empty()) run(pass, states.whole);
  for (State& stage : states.stages) run(pass, stage);
}

}  // namespace mtfc::lowering
