#include <algorithm>

#include "layout/resolve_graph.h"
#include "lowering/graph/append_update.h"
#include "lowering/graph/differentiate.h"
#include "lowering/graph/loss_scale.h"
#include "lowering/graph/mark_recompute.h"
#include "lowering/graph/mark_scores.h"
#include "lowering/graph/microbatch/microbatch_step.h"
#include "lowering/graph/rewrite.h"
#include "lowering/state/passes.h"
#include "lowering/step/split_programs.h"
#include "ops/inputs.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

void update(Model& model, Graph& graph, const std::vector<Trained>& trained) {
  if (!model.settings.present) return;
  graph.updates = add_update(model, graph, trained);
  skip_bad_steps(model, graph, trained, graph.updates);
}

/// Gradients are kept as their parameters are, unless these are gathered for the whole step: then
/// what they are summed into is as large, and they are summed over processors once.
void keep_gradients(State& s, const MicrobatchStep& step) {
  if (s.options.gather_step) return;
  for (const Variable& v : step.accumulators) {
    const auto gradient = step.gradients.find(v.path);
    if (gradient == step.gradients.end()) continue;
    const Variable& parameter = s.model.variables[gradient->second];
    const auto kept = s.assignment.kept.find(parameter.path);
    if (kept == s.assignment.kept.end()) continue;
    const Sharding& sharding = kept->second.sharding;
    s.assignment.kept[v.path] = {in_order({parameter.type, sharding}, v.type.dims).sharding,
                                 kept->second.cause};
  }
}

/// With micro-batches: the programs of a step in place of `train`.
void step_of_microbatches(State& s) {
  Model& m = s.model;
  // Without an update, the gradients are what a step computes.
  const bool dump = s.request.dump_tensors;
  MicrobatchStep step = microbatch_step(m, {dump, dump || !m.settings.present});
  keep_gradients(s, step);
  m.variables.insert(m.variables.end(), step.accumulators.begin(), step.accumulators.end());
  update(m, step.apply, step.trained);
  const auto add = [&](Graph& graph, std::int64_t count) {
    if (graph.outputs.empty()) return;
    s.step.push_back({graph.name, count});
    s.made.graphs.push_back(std::move(graph));
  };
  add(step.measure, m.microbatch.count);
  add(step.seed, 1);
  add(step.accumulate, m.microbatch.count);
  add(step.apply, 1);
}

/// Every name's last value becomes an output, but for these names.
void show_values(Graph& graph, const std::set<std::string>& but) {
  std::vector<std::string> seen(but.begin(), but.end());
  for (std::size_t i = graph.values.size(); i-- > 0;) {
    const std::string& name = graph.values[i].name;
    if (name.empty() || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    graph.outputs.push_back({Output::Kind::tensor, name, ValueId{static_cast<std::int32_t>(i)}});
  }
}

/// Trainable parameters that the graph reads, with their values; without gradients yet.
std::vector<Trained> find_trainable(const Model& model, const Graph& graph) {
  std::vector<Trained> found;
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const Variable& v = model.variables[i];
    if (v.kind != Variable::Kind::parameter || !v.trainable) continue;
    for (const Operation& op : graph.ops) {
      const std::string* read = ops::variable_read(op);
      if (!read || *read != v.path) continue;
      found.push_back({i, op.results[0], {}, {}});
      break;
    }
  }
  return found;
}

void step_of_batch(State& s) {
  Model& m = s.model;
  s.step = {{program_names::train, 1}};
  if (s.request.dump_tensors) show_values(m.train, s.request.not_dumped);
  m.train = expand(share_operations(m.train, m.dims), m.dims, true);
  m.train = share_operations(m.train, m.dims);

  const std::vector<Trained> trainable = find_trainable(m, m.train);
  std::vector<ValueId> values;
  for (const Trained& one : trainable) values.push_back(one.before);
  ops::Builder build(m.train, m.dims);
  const ValueId loss = loss_of(m.train);
  const std::vector<ValueId> grads =
      differentiate(build, {{loss, loss_seed(m, build, loss)}}, values, m.recompute_parents);
  std::vector<Trained> trained;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].valid()) continue;
    const std::string& path = m.variables[trainable[i].variable].path;
    const ValueId gradient = unscaled(m, build, grads[i], path);
    trained.push_back({trainable[i].variable, values[i], grads[i], gradient});
    const std::string name = gradient_names::of(path);
    build.set_name(gradient, name);
    // Without an update, the gradients are what a step computes.
    if (s.request.dump_tensors || !m.settings.present)
      m.train.outputs.push_back({Output::Kind::tensor, name, gradient});
  }
  update(m, m.train, trained);
}

}  // namespace

void differentiate_step(State& s) {
  if (!has_loss(s.model.train) || s.request.generation) return;
  // `run` takes no step, and may ask for what nothing uses (`y = x`), which would be dropped here.
  if (!s.request.tensors.empty()) return;
  if (s.options.recompute_full || s.options.recompute_selective)
    mark_recompute(s.model, s.options, s.assignment.stages);
  mark_scores(s.model, s.assignment);
  if (s.model.microbatch.count > 1)
    step_of_microbatches(s);
  else
    step_of_batch(s);
}

}  // namespace mtfc::lowering
