#include "plan/compile.h"

#include <algorithm>
#include <string_view>

#include "layout/assignment.h"
#include "layout/axis_conflicts.h"

namespace mtfc::plan {
namespace {

/// The last pass that asks nothing of an assignment but which scopes there are.
constexpr std::string_view last_common = "expand-composites";

std::string scopes_text(const Assignment& assignment) {
  std::string text;
  for (const Assignment::Scope& scope : assignment.scopes)
    text += std::to_string(static_cast<int>(scope.kind)) + scope.glob + "\n";
  return text;
}

/// What a step does not run costs nothing; its variables stay.
void drop_other_programs(lowering::State& state) {
  std::erase_if(state.made.graphs, [&](const Graph& graph) {
    return std::none_of(state.step.begin(), state.step.end(),
                        [&](const StepProgram& step) { return step.program == graph.name; });
  });
}

/// As `cost_of_step` adds up: a step holds the arena of its largest program, and buffers of
/// messages for all of them.
void add_costs(Compiled& made, const SourceMap& sources, const backends::Detail& detail) {
  const Module& module = made.module;
  std::int64_t arena = 0;
  std::vector<std::vector<backends::Travel>> travels;
  for (const StepProgram& step : module.step) {
    const Program& program = *module.find(step.program);
    std::vector<backends::Bound> bound;
    bound.reserve(program.instructions.size());
    for (const Instruction& at : program.instructions)
      bound.push_back(backends::bind({module.dims, module.mesh}, program, at));
    made.work.push_back(
        {step.program, step.microbatches, backends::work_of(module, program, bound, detail)});
    backends::ProgramMemory memory = backends::bytes_of(module, program, bound, sources);
    arena = std::max(arena, memory.arena);
    travels.push_back(std::move(memory.travels));
  }
  made.variables = backends::variable_bytes(module);
  made.memory = made.variables + arena + backends::message_bytes(travels);
}

}  // namespace

const lowering::State& Compiler::prepared(const Model& model, const Assignment& assignment) {
  std::unique_ptr<lowering::State>& state = prepared_[{&model, scopes_text(assignment)}];
  if (state) return *state;
  Assignment scopes;
  scopes.dims.resize(model.dims.size());
  for (const Assignment::Scope& scope : assignment.scopes)
    scopes.scopes.push_back({scope.kind, scope.glob, {}, {}});
  state = std::make_unique<lowering::State>(lowering::start(model, scopes, {}));
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, *state);
    if (pass.name == last_common) break;
  }
  drop_other_programs(*state);
  return *state;
}

lowering::State Compiler::start(const Model& model, Assignment assignment) {
  // With micro-batches, sums of gradients are kept as the parameters are: an earlier pass asks.
  if (model.microbatch.count > 1 && !assignment.kept.empty()) {
    lowering::State state = lowering::start(model, assignment, {});
    for (const lowering::Pass& pass : lowering::passes()) {
      lowering::run(pass, state);
      if (pass.name == last_common) break;
    }
    drop_other_programs(state);
    return state;
  }
  lowering::State state = prepared(model, assignment);
  state.options = assignment.options;
  state.options.shard_update = state.options.shard_update || model.settings.update == "sharded";
  state.assignment = std::move(assignment);
  return state;
}

std::optional<Compiled> Compiler::compile(const Choice& choice, const Model& model) {
  Diagnostics silent;
  std::optional<Assignment> assignment =
      lowering::resolve(layout_of(choice, given_), std::nullopt, model, sources_, silent);
  if (!assignment || !lowering::is_legal(model, *assignment)) return std::nullopt;
  lowering::State state = start(model, std::move(*assignment));
  lowering::run_after(lowering::find_pass(std::string(last_common)), state);
  Compiled made;
  made.module = std::move(state.made.module);
  add_costs(made, sources_, detail_);
  return made;
}

}  // namespace mtfc::plan
