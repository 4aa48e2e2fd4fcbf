#include "lowering/step/split_programs.h"

#include <algorithm>

#include "ir/named_values.h"
#include "lowering/graph/differentiate.h"
#include "lowering/graph/generation/derive_generation.h"
#include "lowering/graph/pool_means.h"
#include "lowering/graph/rewrite.h"
#include "lowering/state/passes.h"
#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::lowering {

ValueId loss_of(const Graph& graph) {
  for (const Output& output : graph.outputs) {
    if (output.kind == Output::Kind::loss && output.name == "loss") return output.value;
  }
  return {};
}

std::vector<std::string> unused_names(const Graph& graph) {
  std::vector<bool> used(graph.values.size());
  for (const Operation& op : graph.ops) {
    for (ValueId operand : op.operands) used[operand.at()] = true;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (!used[i] && !graph.values[i].name.empty()) names.push_back(graph.values[i].name);
  }
  return names;
}

namespace {

/// The program of `run`: named tensors, and their gradients with `gradients`.
Graph run_graph(const State& s) {
  Graph graph = s.request.training_mode ? s.model.train : s.model.eval;
  graph.name = program_names::run;
  const ValueId loss = loss_of(graph);
  const std::map<std::string, ValueId> named = named_values(graph);
  std::vector<Output> wanted;
  for (const std::string& name : s.request.tensors) {
    MTFC_CHECK(named.contains(name), "no tensor is named `" + name + "`");
    wanted.push_back({Output::Kind::tensor, name, named.at(name)});
  }
  graph.outputs = wanted;
  if (!s.request.gradients || !loss.valid()) return graph;

  graph.outputs.push_back({Output::Kind::loss, "loss", loss});
  // Not shared before: values that are computed alike have gradients of their own.
  graph = expand(std::move(graph), s.model.dims, true);
  const ValueId end = graph.outputs.back().value;
  const std::size_t count = graph.outputs.size() - 1;
  std::vector<ValueId> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(graph.outputs[i].value);
  // What has two names may have been read by one of them alone.
  for (std::size_t i = 0; i < count; ++i) values.push_back(copied_value(graph, values[i]));
  ops::Builder build(graph, s.model.dims);
  const std::vector<ValueId> grads = differentiate(build, end, values, s.model.recompute_parents);
  for (std::size_t i = 0; i < count; ++i) {
    ValueId grad = grads[i].valid() ? grads[i] : grads[count + i];
    if (!grad.valid()) continue;
    grad = build.broadcast(grad, build.type(values[i]).dims);
    const std::string name = gradient_names::of(graph.outputs[i].name);
    graph.outputs.push_back({Output::Kind::tensor, name, grad});
  }
  return graph;
}

void add_evaluation(State& s) {
  Pooled pooled = pool_means(s.model);
  std::vector<Variable>& variables = s.model.variables;
  variables.insert(variables.end(), pooled.accumulators.begin(), pooled.accumulators.end());
  s.made.graphs.push_back(std::move(pooled.begin));
  s.made.graphs.push_back(std::move(pooled.batch));
  s.made.graphs.push_back(std::move(pooled.finish));
}

}  // namespace

void split_programs(State& s) {
  Model& m = s.model;
  std::vector<Graph>& graphs = s.made.graphs;
  graphs.reserve(graphs.size() + 6);
  graphs.insert(graphs.begin(), std::move(m.init));
  if (s.request.generation) {
    for (Graph& graph : derive_generation(m, s.assignment, *s.request.generation))
      graphs.push_back(std::move(graph));
  } else {
    if (has_loss(m.train) && m.microbatch.count == 1)
      graphs.push_back(s.request.tensors.empty() ? std::move(m.train) : m.train);
    if (has_loss(m.eval)) add_evaluation(s);
  }
  if (!s.request.tensors.empty()) graphs.push_back(run_graph(s));
  m.init = m.train = m.eval = m.microbatch.graph = {};
}

}  // namespace mtfc::lowering
