// `set gather=step`: parameters that a scope keeps on shards are gathered once for all
// micro-batches of a step, by a program of their own, in the type in which micro-batches use them.
// Of a pipeline each stage gathers its own: a part of that program.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lowering/graph/rewrite.h"
#include "lowering/state/passes.h"
#include "ops/inputs.h"

namespace mtfc::lowering {

namespace {

std::string gathered_path(const std::string& parameter) { return "train.gathered." + parameter; }

/// The programs that run on each micro-batch.
std::vector<Graph*> repeated(State& s) {
  std::vector<Graph*> found;
  for (Graph& graph : s.made.graphs)
    for (const StepProgram& step : s.step)
      if (step.program == graph.name && step.microbatches > 1) found.push_back(&graph);
  return found;
}

/// By the path of a kept parameter that they read: the type that all of them cast it to, or its
/// own.
std::map<std::string, DType> used_types(const std::vector<Graph*>& graphs,
                                        const std::map<std::string, Assignment::Kept>& kept) {
  std::map<std::string, std::optional<DType>> found;
  std::map<std::string, DType> own;
  for (const Graph* graph : graphs)
    for (const Operation& op : graph->ops) {
      if (const std::string* path = ops::variable_read(op); path && kept.contains(*path))
        own[*path] = graph->at(op.results[0]).type.dtype;
      for (ValueId operand : op.operands) {
        const std::string* path = ops::variable_read(graph->producer(operand));
        if (!path || !kept.contains(*path)) continue;
        const DType used =
            op.op == "cast" ? graph->at(op.results[0]).type.dtype : graph->at(operand).type.dtype;
        const auto [first, fresh] = found.emplace(*path, used);
        if (!fresh && first->second != used) first->second = std::nullopt;
      }
    }
  for (auto& [path, type] : own)
    if (const auto used = found.find(path); used != found.end() && used->second)
      if (size_of(*used->second) < size_of(type)) type = *used->second;
  return own;
}

/// Reads what was gathered in the place of the parameters.
Graph reading_gathered(const Graph& graph, const DimTable& dims,
                       const std::map<std::string, DType>& types) {
  Graph result{graph.name, {}, {}, {}};
  ops::Builder build(result, dims);
  Copier copier(graph, build);
  std::vector<bool> is_cast(graph.values.size());
  for (const Operation& op : graph.ops) {
    const std::string* path = ops::variable_read(op);
    const auto gathered = path ? types.find(*path) : types.end();
    if (gathered != types.end()) {
      build.follow(op);
      const TensorType& type = graph.at(op.results[0]).type;
      copier.replace(op.results[0],
                     build.read(gathered_path(*path), {gathered->second, type.dims}));
      is_cast[op.results[0].at()] = gathered->second != type.dtype;
    } else if (op.operands.size() == 1 && is_cast[op.operands[0].at()]) {
      copier.replace(op.results[0], copier.copy(op.operands[0]));
    } else {
      copier.copy_operation(op);
    }
  }
  carry_over(graph, result, [&](ValueId old) { return copier.copy(old); });
  return result;
}

/// The stage of the part that a graph is; 0 without a pipeline.
int stage_of(const State& s, const std::string& graph) {
  for (const StagePart& part : s.cut.parts)
    if (part.name == graph) return part.stage;
  return 0;
}

/// By stage: the kept parameters that it reads.
std::map<int, std::set<std::string>> read_by_stage(const State& s,
                                                   const std::vector<Graph*>& graphs,
                                                   const std::map<std::string, DType>& types) {
  std::map<int, std::set<std::string>> found;
  for (const Graph* graph : graphs)
    for (const Operation& op : graph->ops)
      if (const std::string* path = ops::variable_read(op); path && types.contains(*path))
        found[stage_of(s, graph->name)].insert(*path);
  return found;
}

/// The program that gathers these; its variables are added to the model.
Graph gathering(State& s, const std::string& name, const std::set<std::string>& paths,
                const std::map<std::string, DType>& types) {
  Graph gather{name, {}, {}, {}};
  ops::Builder build(gather, s.model.dims);
  std::vector<Variable> gathered;
  for (const Variable& v : s.model.variables) {
    if (!paths.contains(v.path)) continue;
    Variable copy = v;
    copy.path = gathered_path(v.path);
    copy.type.dtype = types.at(v.path);
    copy.kind = Variable::Kind::accumulator;
    copy.trainable = false;
    const ValueId value = build.cast(build.read(v.path, v.type), copy.type.dtype);
    gather.outputs.push_back({Output::Kind::variable, copy.path, value});
    gathered.push_back(std::move(copy));
  }
  s.model.variables.insert(s.model.variables.end(), gathered.begin(), gathered.end());
  return gather;
}

}  // namespace

void gather_step(State& s) {
  if (!s.options.gather_step || s.assignment.kept.empty()) return;
  const std::vector<Graph*> graphs = repeated(s);
  const std::map<std::string, DType> types = used_types(graphs, s.assignment.kept);
  if (types.empty()) return;
  const std::map<int, std::set<std::string>> read = read_by_stage(s, graphs, types);
  for (Graph* graph : graphs) *graph = reading_gathered(*graph, s.model.dims, types);

  const std::string program = "gather";
  std::vector<StepProgram> first;
  for (const auto& [stage, paths] : read) {
    const std::string name = s.assignment.stages ? program + "." + std::to_string(stage) : program;
    Graph gather = gathering(s, name, paths, types);
    if (s.assignment.stages)
      s.cut.parts.push_back({name, program, stage, StagePart::Pass::other, 0});
    s.made.graphs.push_back(std::move(gather));
    first.push_back({name, 1});
  }
  s.step.insert(s.step.begin(), first.begin(), first.end());
}

}  // namespace mtfc::lowering
