// The graphs of a pipeline as the parts of their stages.
#include <algorithm>

#include "lowering/stages/cut_graph.h"
#include "lowering/stages/split_sums.h"
#include "lowering/state/passes.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

/// Graphs in an order in which each finds the homes of its variables: training decides, first
/// values come last.
std::vector<std::size_t> by_who_decides(const std::vector<Graph>& graphs) {
  static const std::vector<std::string> first = {
      program_names::accumulate, program_names::measure,    program_names::eval, "seed",
      program_names::apply,      program_names::eval_finish};
  const auto rank = [&](std::size_t i) {
    const std::string& name = graphs[i].name;
    if (name == program_names::init) return first.size() + 1;
    return static_cast<std::size_t>(std::find(first.begin(), first.end(), name) - first.begin());
  };
  std::vector<std::size_t> order(graphs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

/// An optimiser's states live with their parameter.
void keep_states_with_parameters(const Graph& graph, Homes& homes) {
  for (const ParameterUpdate& update : graph.updates)
    for (const std::string& state : update.states)
      if (const auto home = homes.find(update.parameter); home != homes.end())
        homes.emplace(state, home->second);
}

CutGraph cut(const Graph& graph, const Stages& stages, const DimTable& dims, Homes& homes) {
  keep_states_with_parameters(graph, homes);
  find_homes(graph, dims, stages, homes);
  const bool passes = graph.name == program_names::accumulate;
  return cut_graph(graph,
                   passes ? slots_of_passes(graph, dims, stages, homes)
                          : slots_by_level(graph, dims, stages, homes),
                   dims, homes);
}

/// The step runs the parts in place of the programs.
std::vector<StepProgram> step_of_parts(const std::vector<StepProgram>& step,
                                       const std::vector<StagePart>& parts) {
  std::vector<StepProgram> found;
  for (const StepProgram& whole : step)
    for (const StagePart& part : parts)
      if (part.program == whole.program) found.push_back({part.name, whole.microbatches});
  return found;
}

/// Names of losses and metrics in the order that all graphs give them.
std::vector<std::string> output_names(const std::vector<Graph>& graphs) {
  std::vector<std::string> names;
  for (const Graph& graph : graphs) {
    auto next = names.begin();
    for (const Output& output : graph.outputs) {
      if (output.kind != Output::Kind::loss && output.kind != Output::Kind::metric) continue;
      auto known = std::find(names.begin(), names.end(), output.name);
      if (known == names.end()) known = names.insert(next, output.name);
      next = known + 1;
    }
  }
  return names;
}

/// Before anything is cut: what several stages add to is added up by each.
void split_sums(State& s) {
  const auto named = [&](const char* name) {
    return std::find_if(s.made.graphs.begin(), s.made.graphs.end(),
                        [&](const Graph& graph) { return graph.name == name; });
  };
  const auto each = named(program_names::accumulate), apply = named(program_names::apply);
  if (each == s.made.graphs.end() || apply == s.made.graphs.end()) return;
  Homes homes;
  find_homes(*each, s.model.dims, *s.assignment.stages, homes);
  const SlotPlan plan = slots_of_passes(*each, s.model.dims, *s.assignment.stages, homes);
  split_sums(*each, *apply, plan, s.model, s.assignment);
}

}  // namespace

void cut_stages(State& s) {
  if (!s.assignment.stages) return;
  split_sums(s);
  std::vector<Graph> whole = std::move(s.made.graphs);
  s.made.graphs.clear();
  s.cut.outputs = output_names(whole);
  std::vector<CutGraph> all(whole.size());
  Homes homes;
  for (const std::size_t i : by_who_decides(whole))
    all[i] = cut(whole[i], *s.assignment.stages, s.model.dims, homes);
  for (CutGraph& one : all) {
    const int first = static_cast<int>(s.cut.parts.size());
    for (CutGraph::Part& part : one.parts) {
      s.cut.parts.push_back(std::move(part.part));
      s.made.graphs.push_back(std::move(part.graph));
    }
    for (Crossing& crossing : one.crossings) {
      crossing.from += first;
      for (int& to : crossing.to) to += first;
      s.cut.crossings.push_back(std::move(crossing));
    }
    for (Variable& variable : one.variables) s.model.variables.push_back(std::move(variable));
  }
  s.step = step_of_parts(s.step, s.cut.parts);
}

}  // namespace mtfc::lowering
