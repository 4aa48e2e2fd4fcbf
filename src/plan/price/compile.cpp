#include "plan/price/compile.h"

#include <algorithm>
#include <string_view>

#include "cost/beside_step.h"
#include "cost/evaluates.h"
#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "layout/uneven.h"
#include "lowering/graph/mark_scores.h"
#include "lowering/stages/deal_out.h"
#include "ops/op.h"
#include "support/check.h"

namespace mtfc::plan {
namespace {

/// The last pass that asks nothing of an assignment but which scopes there are.
constexpr std::string_view last_common = "expand-composites";
/// Neither does this one; those between pad sizes and take operations apart along split dimensions.
constexpr std::string_view last_where_whole = "share-operations";

const lowering::Pass* pass(std::string_view name) {
  const lowering::Pass* found = lowering::find_pass(name);
  MTFC_CHECK(found != nullptr, "a plan's pass has another name");
  return found;
}

/// Whether no operation is one that may be taken apart.
bool stays_whole(const std::vector<Graph>& graphs) {
  return std::all_of(graphs.begin(), graphs.end(), [](const Graph& graph) {
    return std::none_of(graph.ops.begin(), graph.ops.end(),
                        [](const Operation& op) { return bool{ops::op_of(op).blockwise}; });
  });
}

/// Which scores a pipeline computes again.
std::string marks_text(const Model& model, const Assignment& assignment) {
  std::string text;
  for (const Graph* graph : {&model.train, &model.microbatch.graph})
    for (const std::size_t at : lowering::large_scores(*graph, model.dims, assignment))
      text += graph->name + std::to_string(at) + "\n";
  return text;
}

/// What the first passes ask of it.
std::string scopes_text(const Model& model, const Assignment& assignment) {
  const LoweringOptions& options = assignment.options;
  std::string text = options.recompute_full        ? "full\n"
                     : options.recompute_selective ? "selective\n"
                                                   : "";
  text += std::to_string(options.recompute_iterations) + "\n";
  if (options.recompute_iterations > 0 && assignment.stages)
    for (const auto& [block, stage] : assignment.stages->blocks)
      text += block + " " + std::to_string(stage) + "\n";
  for (const Assignment::Scope& scope : assignment.scopes)
    text += std::to_string(static_cast<int>(scope.kind)) + scope.glob + "\n";
  return text + marks_text(model, assignment);
}

/// What a step does not run costs nothing; its variables stay. `evaluations`: nor do these.
void drop_other_programs(lowering::State& state, bool evaluations) {
  namespace names = program_names;
  std::erase_if(state.made.graphs, [&](const Graph& graph) {
    const bool evaluates = graph.name == names::eval || graph.name == names::eval_begin ||
                           graph.name == names::eval_finish;
    return !(evaluations && evaluates) &&
           std::none_of(state.step.begin(), state.step.end(),
                        [&](const StepProgram& step) { return step.program == graph.name; });
  });
}

/// Of a pipeline only once all is known of it.
bool counts_evaluations(const Model& model, const Assignment& assignment) {
  return !assignment.stages && cost::evaluates_more_at_once(model);
}

}  // namespace

const Compiler::Prepared& Compiler::prepared(const Model& model, const Assignment& assignment) {
  const bool divides = lowering::uneven_dims(model.dims, model.variables, assignment).empty();
  std::unique_ptr<Prepared>& made =
      prepared_[{&model, scopes_text(model, assignment) + (divides ? "divides\n" : "") +
                             (counts_evaluations(model, assignment) ? "evaluations\n" : "")}];
  if (made) return *made;
  Assignment scopes;
  scopes.dims.resize(model.dims.size());
  if (assignment.stages) {
    scopes.mesh = assignment.mesh;
    scopes.dims = assignment.dims;
    scopes.stages = assignment.stages;
    scopes.options.store_scores = assignment.options.store_scores;
  }
  scopes.options.recompute_full = assignment.options.recompute_full;
  scopes.options.recompute_selective = assignment.options.recompute_selective;
  scopes.options.recompute_iterations = assignment.options.recompute_iterations;
  for (const Assignment::Scope& scope : assignment.scopes)
    scopes.scopes.push_back({scope.kind, scope.glob, {}, {}});
  made =
      std::make_unique<Prepared>(Prepared{lowering::start(model, scopes, {}), pass(last_common)});
  lowering::run_after(nullptr, made->state, made->last);
  drop_other_programs(made->state, counts_evaluations(model, assignment));
  if (divides && stays_whole(made->state.made.graphs)) {
    made->last = pass(last_where_whole);
    lowering::run_after(pass(last_common), made->state, made->last);
  }
  return *made;
}

std::optional<lowering::State> Compiler::before_splits(const Model& model) {
  std::optional<Assignment> assignment = resolved({}, model);
  if (!assignment) return std::nullopt;
  Prepared made = start(model, std::move(*assignment), true);
  lowering::run_after(made.last, made.state, pass(last_where_whole));
  return std::move(made.state);
}

Compiler::Prepared Compiler::start(const Model& model, Assignment assignment, bool step_alone) {
  // With micro-batches, sums of gradients are kept as the parameters are: an earlier pass asks.
  if (!step_alone || (model.microbatch.count > 1 && !assignment.kept.empty())) {
    Prepared made{lowering::start(model, assignment, {}), pass(last_common)};
    lowering::run_after(nullptr, made.state, made.last);
    if (step_alone)
      drop_other_programs(made.state, counts_evaluations(model, made.state.assignment));
    return made;
  }
  Prepared made = prepared(model, assignment);
  made.state.options = lowering::options_of(model, assignment);
  made.state.assignment = std::move(assignment);
  return made;
}

std::optional<Assignment> Compiler::resolved(const Choice& choice, const Model& model) const {
  Diagnostics silent;
  std::optional<Assignment> assignment =
      lowering::resolve(layout_of(choice, given_), std::nullopt, model, silent);
  if (assignment && !lowering::is_legal(model, *assignment)) assignment.reset();
  return assignment;
}

std::optional<lowering::State> Compiler::lowered(const Choice& choice, const Model& model,
                                                 bool step_alone) {
  std::optional<Assignment> assignment = resolved(choice, model);
  if (!assignment) return std::nullopt;
  Prepared made = start(model, std::move(*assignment), step_alone);
  lowering::run_after(made.last, made.state);
  return std::move(made.state);
}

std::optional<Compiled> Compiler::compile(const Choice& choice, const Model& model) {
  std::optional<lowering::State> state = lowered(choice, model, true);
  if (!state) return std::nullopt;
  Compiled made;
  made.module = std::move(state->made.module);
  cost::Cost cost = cost::figures_of_step(made.module, sources_, detail_);
  made.variables = cost.variable_bytes;
  made.memory = cost.memory_per_processor();
  made.in_use = cost.in_use;
  if (cost::evaluates_more_at_once(model)) {
    cost::count_beside_step(made.module, sources_, true, cost);
    made.evaluation = cost.evaluation_bytes;
  }
  made.work = std::move(cost.work);
  return made;
}

std::optional<CompiledPipeline> Compiler::compile_pipeline(const Choice& choice, const Model& model,
                                                           bool exactly) {
  std::optional<PipelineModule> module = lowered_stages(choice, model, !exactly);
  if (!module) return std::nullopt;
  CompiledPipeline made{std::move(*module), {}};
  made.cost = cost::figures_of_pipeline(made.module, sources_, detail_);
  return made;
}

std::optional<PipelineModule> Compiler::lowered_stages(const Choice& choice, const Model& model,
                                                       bool step_alone) {
  if (has_own_meshes(choice)) {
    const std::optional<Assignment> assignment = resolved(choice, model);
    if (!assignment) return std::nullopt;
    return lowering::lower_pipeline(model, *assignment, {});
  }
  std::optional<lowering::State> state = lowered(choice, model, step_alone);
  if (!state) return std::nullopt;
  return lowering::deal_out({std::move(*state)});
}

std::optional<cost::MostMemory> Compiler::most_memory(const Choice& choice, const Model& model) {
  const bool evaluates = cost::evaluates(model);
  if (choice.pipeline) {
    const std::optional<PipelineModule> module = lowered_stages(choice, model, false);
    if (!module) return std::nullopt;
    cost::PipelineCost cost = cost::figures_of_pipeline(*module, sources_, detail_);
    cost::count_beside_step(*module, sources_, evaluates, cost);
    return cost.most_memory_of_run();
  }
  const std::optional<lowering::State> state = lowered(choice, model, false);
  if (!state) return std::nullopt;
  cost::Cost cost = cost::figures_of_step(state->made.module, sources_, detail_);
  cost::count_beside_step(state->made.module, sources_, evaluates, cost);
  return cost.most_memory();
}

}  // namespace mtfc::plan
