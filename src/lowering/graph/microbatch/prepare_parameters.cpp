// What the micro-batches of a step all make of parameters is made once, by a program of its own:
// the narrower type in which they use them, and with `set gather=step` what scopes keep on shards,
// gathered. Of a pipeline each stage prepares its own: a part of that program.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lowering/graph/rewrite.h"
#include "lowering/state/passes.h"
#include "ops/inputs.h"
#include "ops/op.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

/// What is prepared of a parameter.
struct Prepared {
  DType type{};          // in which it is stored
  bool gathers = false;  // so that it is read in the place of the parameter, whatever the type
  Origin origin;         // of what uses the parameter first
  StepRole role;
};
using PreparedOf = std::map<std::string, Prepared>;  // by the parameter's path

std::string prepared_path(const std::string& parameter) {
  return owner_names::path(owner_names::step, "prepared." + parameter);
}

/// The programs that run on each micro-batch.
std::vector<Graph*> repeated(State& s) {
  std::vector<Graph*> found;
  for (Graph& graph : s.made.graphs)
    for (const StepProgram& step : s.step)
      if (step.program == graph.name && step.microbatches > 1) found.push_back(&graph);
  return found;
}

/// How the programs use a parameter.
struct Uses {
  DType own{};
  std::set<DType> types;   // those that it is cast to, its own where it is used as it is
  std::set<DType> stored;  // of these, what a cast makes that is not a part of a map
  Origin origin;           // of what uses it first
  StepRole role;
};

/// By value: something other than elementwise operations reads it, which do a cast on their way.
std::vector<bool> read_as_tensors(const Graph& graph) {
  std::vector<bool> found(graph.values.size());
  for (const Operation& op : graph.ops)
    if (ops::op_of(op).kind != ops::Kind::elementwise)
      for (ValueId operand : op.operands) found[operand.at()] = true;
  for (const Output& output : graph.outputs) found[output.value.at()] = true;
  return found;
}

std::map<std::string, Uses> uses_of(const State& s, const std::vector<Graph*>& graphs) {
  std::map<std::string, Uses> found;
  for (const Variable& v : s.model.variables)
    if (v.kind == Variable::Kind::parameter) found[v.path].own = v.type.dtype;
  for (const Graph* graph : graphs) {
    const std::vector<bool> as_tensor = read_as_tensors(*graph);
    for (const Operation& op : graph->ops)
      for (ValueId operand : op.operands) {
        const Operation& source = graph->producer(operand);
        const std::string* path = ops::variable_read(source);
        const auto uses = path ? found.find(*path) : found.end();
        if (uses == found.end()) continue;
        if (uses->second.types.empty()) {
          uses->second.origin = source.origin;
          uses->second.role = source.role;
        }
        const bool cast = op.op == "cast";
        const DType type = cast ? graph->at(op.results[0]).type.dtype : uses->second.own;
        uses->second.types.insert(type);
        if (cast && as_tensor[op.results[0].at()]) uses->second.stored.insert(type);
      }
  }
  std::erase_if(found, [](const auto& one) { return one.second.types.empty(); });
  return found;
}

/// A cast to a narrower type is shared by all micro-batches; what is gathered is, in the one type
/// that all use.
std::optional<DType> type_prepared(const Uses& uses, bool gathers) {
  const auto narrower = [&](DType type) { return size_of(type) < size_of(uses.own); };
  if (gathers)
    return uses.types.size() == 1 && narrower(*uses.types.begin()) ? *uses.types.begin() : uses.own;
  return uses.stored.size() == 1 && narrower(*uses.stored.begin())
             ? std::optional(*uses.stored.begin())
             : std::nullopt;
}

PreparedOf what_to_prepare(const State& s, const std::vector<Graph*>& graphs) {
  PreparedOf found;
  for (const auto& [path, uses] : uses_of(s, graphs)) {
    const bool gathers = s.options.gather_step && s.assignment.kept.contains(path);
    if (const auto type = type_prepared(uses, gathers))
      found.emplace(path, Prepared{*type, gathers, uses.origin, uses.role});
  }
  return found;
}

/// The graph while its reads of parameters become reads of what is prepared.
class Reading {
 public:
  Reading(const Graph& graph, const DimTable& dims, const PreparedOf& prepared)
      : graph_(graph),
        prepared_(prepared),
        result_(graph.name),
        build_(result_, dims),
        copier_(graph, build_) {}

  Graph run() {
    for (const Operation& op : graph_.ops)
      if (!replace(op)) copier_.copy_operation(op);
    carry_over(graph_, result_, [&](ValueId old) { return copier_.copy(old); });
    return std::move(result_);
  }

 private:
  bool replace(const Operation& op) {
    if (const Prepared* whole = find(op); whole && whole->gathers) {
      copier_.replace(op.results[0], read(op, op, whole->type));
      return true;
    }
    if (op.op != "cast") return false;
    const Operation& source = graph_.producer(op.operands[0]);
    const Prepared* prepared = find(source);
    if (!prepared || prepared->type != graph_.at(op.results[0]).type.dtype) return false;
    copier_.replace(op.results[0], prepared->gathers ? copier_.copy(op.operands[0])
                                                     : read(source, op, prepared->type));
    return true;
  }
  const Prepared* find(const Operation& op) const {
    const std::string* path = ops::variable_read(op);
    const auto found = path ? prepared_.find(*path) : prepared_.end();
    return found == prepared_.end() ? nullptr : &found->second;
  }
  /// In the place of `op`, what is prepared of what `parameter` reads.
  ValueId read(const Operation& parameter, const Operation& op, DType type) {
    ValueId& value = read_[parameter.results[0]];
    if (value.valid()) return value;
    build_.follow(op);
    const TensorType& whole = graph_.at(parameter.results[0]).type;
    return value = build_.read(prepared_path(*ops::variable_read(parameter)), {type, whole.dims});
  }

  const Graph& graph_;
  const PreparedOf& prepared_;
  Graph result_;
  ops::Builder build_;
  Copier copier_;
  std::map<ValueId, ValueId> read_;  // by what was read of a parameter
};

/// The stage of the part that a graph is; 0 without a pipeline.
int stage_of(const State& s, const std::string& graph) {
  for (const StagePart& part : s.cut.parts)
    if (part.name == graph) return part.stage;
  return 0;
}

/// By stage: the parameters that it reads and that are prepared.
std::map<int, std::set<std::string>> read_by_stage(const State& s,
                                                   const std::vector<Graph*>& graphs,
                                                   const PreparedOf& prepared) {
  std::map<int, std::set<std::string>> found;
  for (const Graph* graph : graphs)
    for (const Operation& op : graph->ops)
      if (const std::string* path = ops::variable_read(op); path && prepared.contains(*path))
        found[stage_of(s, graph->name)].insert(*path);
  return found;
}

/// The program that prepares these; its variables are added to the model.
Graph preparing(State& s, const std::string& name, const std::set<std::string>& paths,
                const PreparedOf& prepared) {
  Graph graph(name);
  ops::Builder build(graph, s.model.dims);
  std::vector<Variable> added;
  for (const Variable& v : s.model.variables) {
    if (!paths.contains(v.path)) continue;
    const Prepared& what = prepared.at(v.path);
    Variable copy = v;
    copy.path = prepared_path(v.path);
    copy.type.dtype = what.type;
    copy.kind = Variable::Kind::accumulator;
    copy.trainable = false;
    const auto kept = s.assignment.kept.find(v.path);
    if (kept != s.assignment.kept.end() && !what.gathers)
      s.assignment.kept[copy.path] = kept->second;
    build.origin = what.origin;
    build.role = what.role;
    const ValueId value = build.cast(build.read(v.path, v.type), copy.type.dtype);
    graph.outputs.push_back({Output::Kind::variable, copy.path, value});
    added.push_back(std::move(copy));
  }
  s.model.variables.insert(s.model.variables.end(), added.begin(), added.end());
  return graph;
}

}  // namespace

void prepare_parameters(State& s) {
  const std::vector<Graph*> graphs = repeated(s);
  const PreparedOf prepared = what_to_prepare(s, graphs);
  if (prepared.empty()) return;
  const std::map<int, std::set<std::string>> read = read_by_stage(s, graphs, prepared);
  for (Graph* graph : graphs) *graph = Reading(*graph, s.model.dims, prepared).run();

  const std::string program = "prepare";
  std::vector<StepProgram> first;
  for (const auto& [stage, paths] : read) {
    const std::string name = s.assignment.stages ? program + "." + std::to_string(stage) : program;
    Graph graph = preparing(s, name, paths, prepared);
    if (s.assignment.stages)
      s.cut.parts.push_back({name, program, stage, StagePart::Pass::other, 0});
    s.made.graphs.push_back(std::move(graph));
    first.push_back({name, 1});
  }
  s.step.insert(s.step.begin(), first.begin(), first.end());
}

}  // namespace mtfc::lowering
