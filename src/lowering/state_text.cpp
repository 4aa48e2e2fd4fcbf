#include "lowering/state_text.h"

#include <limits>

#include "ir/dump_reader.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "layout/assign.h"

namespace mtfc::lowering {

namespace {

struct Option {
  const char* name;
  bool LoweringOptions::*flag;
};
constexpr Option kOptions[] = {
    {"shard-update", &LoweringOptions::shard_update},
    {"compress-gradients", &LoweringOptions::compress_gradients},
    {"gather-once", &LoweringOptions::gather_once},
    {"gather-step", &LoweringOptions::gather_step},
    {"recompute-full", &LoweringOptions::recompute_full},
    {"recompute-scores", &LoweringOptions::recompute_scores},
    {"recompute-selective", &LoweringOptions::recompute_selective},
    {"store-scores", &LoweringOptions::store_scores},
    {"library-reductions", &LoweringOptions::library_reductions},
};

constexpr std::string_view kIterations = "recompute-iterations";  // and their number

/// Of the model while it has some, then of the programs to be.
std::vector<const Graph*> graphs_of(const State& s) {
  std::vector<const Graph*> list;
  for (const Graph* g : {&s.model.init, &s.model.train, &s.model.eval, &s.model.microbatch.graph})
    if (!g->ops.empty()) list.push_back(g);
  for (const Graph& g : s.made.graphs) list.push_back(&g);
  return list;
}

// ---------------------------------------------------------------- writing
std::string dims_text(const DimTable& dims, const Assignment& assignment) {
  std::string text;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const DimId id{static_cast<std::int32_t>(i)};
    text += dim_text(dims, dims[id]);
    if (!assignment.axes(id).empty())
      text += " over " + to_string(assignment.mesh, assignment.axes(id));
    if (!assignment.cause(id).empty()) text += " because " + quoted(assignment.cause(id));
    text += "\n";
  }
  return text;
}

std::string header_text(const State& s) {
  const DimTable& dims = s.model.dims;
  const Mesh& mesh = s.assignment.mesh;
  const bool assigned = !s.made.shardings.empty();
  std::string text = mesh_line(mesh) + "\n" + dims_text(dims, s.assignment);
  for (std::size_t i = 0; i < s.model.variables.size(); ++i) {
    const Variable& v = s.model.variables[i];
    text += "variable " + quoted(v.path) + ": " +
            (assigned ? to_string(dims, mesh, s.made.module.variables[i].type)
                      : to_string(dims, mesh, {v.type, sharding_of(v.type.dims, {})})) +
            " " + std::string(name(v.kind)) + (v.trainable ? "" : " frozen") + "\n";
  }
  for (const Variable& v : s.model.variables)
    if (const auto kept = s.assignment.kept.find(v.path); kept != s.assignment.kept.end())
      text += "kept " + quoted(v.path) + ": " +
              to_string(dims, mesh, {v.type, kept->second.sharding}) + " because " +
              quoted(kept->second.cause) + "\n";
  for (const Assignment::Scope& scope : s.assignment.scopes) {
    text += "scope " + std::string(name(scope.kind)) + " " + quoted(scope.glob);
    for (const Assignment::Scope::Split& split : scope.splits)
      text += " " + dims.name(split.dim) + " over " +
              (split.axes.empty() ? "[]" : to_string(mesh, split.axes)) + " because " +
              quoted(split.cause);
    text += "\n";
  }
  for (const StepProgram& p : s.step) text += step_line(p) + "\n";
  return text;
}

/// Values that are split otherwise than their dimensions are.
std::string shardings_text(const State& s) {
  std::string text;
  for (std::size_t i = 0; i < s.made.shardings.size(); ++i) {
    const Graph& graph = s.made.graphs[i];
    const std::vector<Sharding> usual = assign(graph, s.assignment);
    for (std::size_t v = 0; v < usual.size(); ++v) {
      const Sharding& sharding = s.made.shardings[i][v];
      if (sharding == usual[v]) continue;
      text += "sharding " + graph.name + " " + std::to_string(v) + ": " +
              to_string(s.model.dims, s.assignment.mesh, {graph.values[v].type, sharding}) + "\n";
    }
  }
  return text;
}

// ---------------------------------------------------------------- reading
class StateReader : private FieldReader {
 public:
  StateReader(State& state, bool assigned)
      : FieldReader(state.model.dims, state.assignment.mesh), s_(state), assigned_(assigned) {
    s_.model.dims = {};
    s_.assignment.mesh = {};
    s_.assignment.dims.clear();
    s_.assignment.kept.clear();
    s_.assignment.scopes.clear();
    s_.model.variables.clear();
    s_.step.clear();
  }

  void header(DumpLine& line) {
    if (line.take("mesh"))
      read_axes(line, s_.assignment.mesh);
    else if (line.take("dim "))
      read_dim(line);
    else if (line.take("variable "))
      read_variable(line);
    else if (line.take("kept "))
      read_kept(line);
    else if (line.take("scope "))
      read_scope(line);
    else if (line.take("step "))
      s_.step.push_back(step_program(line));
    else if (!line.done())
      line.fail("expected `mesh`, `dim`, `variable`, `kept`, `scope`, `step` or `graph`");
    if (!line.done()) line.fail("something follows what belongs here");
  }

  void sharding(DumpLine& line) {
    line.need("sharding ");
    const std::string program = line.dotted_words();
    const std::int64_t value = line.integer(0, largest_size);
    line.need(":");
    const ShardType type = shard_type(line);
    for (std::size_t i = 0; i < s_.made.shardings.size(); ++i) {
      std::vector<Sharding>& table = s_.made.shardings[i];
      if (s_.made.graphs[i].name != program) continue;
      const auto v = static_cast<std::size_t>(value);
      if (v >= table.size() || s_.made.graphs[i].values[v].type != type.tensor)
        return line.fail("the graph has no such value");
      if (std::string error = check_law(s_.model.dims, s_.assignment.mesh, type); !error.empty())
        return line.fail(std::move(error));
      table[v] = type.sharding;
      return;
    }
    line.fail("no graph has this name");
  }

 private:
  void read_dim(DumpLine& line) {
    Dim dim;
    Assignment::Entry entry;
    dim.unique_name = line.word();
    line.need("=");
    dim.size = line.integer(1, largest_size);
    dim.name = line.string();
    if (s_.model.dims.find_unique(dim.unique_name)) line.fail("the dimension is declared twice");
    if (line.take("pads ")) {
      dim.pads = this->dim(line);
      if (line.ok() && s_.model.dims.size(dim.pads) > dim.size)
        line.fail("the padding is negative");
    }
    if (line.take("over ")) entry.axes = axes(line);
    if (line.take("because ")) entry.cause = line.string();
    if (line.ok()) s_.assignment.add_dim(s_.model.dims, std::move(dim), std::move(entry));
  }

  void read_variable(DumpLine& line) {
    Variable v;
    v.path = line.string();
    line.need(":");
    const ShardType type = shard_type(line);
    v.type = type.tensor;
    if (find_variable(v.path)) line.fail("the variable is declared twice");
    v.kind = one_of<Variable::Kind>(line);
    v.trainable = !line.take("frozen");
    if (assigned_) s_.made.module.variables.push_back({v.path, type, v.kind});
    s_.model.variables.push_back(std::move(v));
  }

  void read_scope(DumpLine& line) {
    Assignment::Scope scope;
    scope.kind = one_of<LayoutScope::Kind>(line);
    scope.glob = line.string();
    while (line.ok() && !line.done()) {
      Assignment::Scope::Split split;
      split.dim = dim(line);
      line.need("over");
      if (!line.take("[]")) split.axes = axes(line);
      line.need("because");
      split.cause = line.string();
      scope.splits.push_back(std::move(split));
    }
    s_.assignment.scopes.push_back(std::move(scope));
  }

  void read_kept(DumpLine& line) {
    const std::string path = line.string();
    line.need(":");
    const ShardType type = shard_type(line);
    const Variable* variable = find_variable(path);
    if (!variable || variable->type != type.tensor) return line.fail("there is no such variable");
    if (std::string error = check_split(type); !error.empty()) return line.fail(std::move(error));
    if (type.sharding.is_partial()) line.fail("a variable is kept partial");
    line.need("because");
    s_.assignment.kept[path] = {type.sharding, line.string()};
  }

  const Variable* find_variable(const std::string& path) const {
    for (const Variable& variable : s_.model.variables)
      if (variable.path == path) return &variable;
    return nullptr;
  }

  State& s_;
  bool assigned_;
};

/// What roles refer to is there.
std::string check_roles(const Graph& graph, const State& s) {
  const auto is_there = [](int number, std::size_t count) {
    return number >= 0 && static_cast<std::size_t>(number) < count;
  };
  for (const Operation& op : graph.ops) {
    for (const int scope : op.role.scopes)
      if (!is_there(scope, s.assignment.scopes.size()))
        return graph.name + ": no scope has number " + std::to_string(scope);
    const bool of_model = op.role.kind == StepRole::Kind::model;
    // The way back has tags of its own, as many as the model.
    std::size_t tags = s.model.recompute_parents.size() * (of_model ? 1 : 2);
    // Those of a layout are not of the model: one for each iteration or product with what belongs
    // to it.
    if (s.options.recompute_full || s.options.recompute_selective || s.assignment.stages)
      tags += 2 * graph.ops.size();
    if (!is_there(op.role.recompute, tags))
      return graph.name + ": no `recompute` has number " + std::to_string(op.role.recompute);
  }
  return "";
}

void set_graphs(State& s, std::vector<Graph> graphs, bool split) {
  for (Graph& graph : graphs) {
    Graph* of_model = split                        ? nullptr
                      : graph.name == "init"       ? &s.model.init
                      : graph.name == "train"      ? &s.model.train
                      : graph.name == "eval"       ? &s.model.eval
                      : graph.name == "microbatch" ? &s.model.microbatch.graph
                                                   : nullptr;
    if (of_model)
      *of_model = std::move(graph);
    else
      s.made.graphs.push_back(std::move(graph));
  }
}

void read_inputs(State& s) {
  Module& module = s.made.module;
  module.model_path = s.model.path;
  module.mesh = s.assignment.mesh;
  for (const Input& i : s.model.inputs)
    module.inputs.push_back(
        {i.name, {i.type, sharding_of(i.type.dims, s.assignment)}, i.source, i.field});
  for (const Graph& graph : s.made.graphs) s.made.shardings.push_back(assign(graph, s.assignment));
}

/// Every value and variable can be split as the layout says; once dimensions are padded, into equal
/// shards.
std::string check_splits(const State& s, bool padded) {
  const auto check = [&](const std::string& of, const ShardType& type) {
    const std::string error =
        padded ? check_law(s.model.dims, s.assignment.mesh, type) : check_split(type);
    return error.empty()
               ? ""
               : of + ": " + error + " in " + to_string(s.model.dims, s.assignment.mesh, type);
  };
  for (const Variable& v : s.model.variables)
    if (std::string error = check(v.path, {v.type, sharding_of(v.path, v.type.dims, s.assignment)});
        !error.empty())
      return error;
  for (const Graph* graph : graphs_of(s)) {
    const std::vector<Sharding> shardings = assign(*graph, s.assignment);
    for (std::size_t v = 0; v < shardings.size(); ++v)
      if (std::string error = check(graph->name, {graph->values[v].type, shardings[v]});
          !error.empty())
        return error;
  }
  return "";
}

/// The text in three: what stands before the graphs, the graphs, the shardings.
struct Sections {
  std::string header, graphs, shardings;
};
Sections sections_of(const std::string& text) {
  const std::size_t graphs = std::min(text.find("\ngraph "), text.size() - 1) + 1;
  const std::size_t shardings = std::min(text.find("\nsharding "), text.size() - 1) + 1;
  return {text.substr(0, graphs), text.substr(graphs, shardings - graphs), text.substr(shardings)};
}

bool read_graphs(const std::string& text, const Pass& after, State& s, std::string& error,
                 const SourceMap* sources) {
  const bool split = &after >= find_pass("split-programs");
  const bool assigned = &after >= find_pass("assign-shardings");
  const Sections parts = sections_of(text);
  for (Graph* g : {&s.model.init, &s.model.train, &s.model.eval, &s.model.microbatch.graph})
    *g = {};
  StateReader reader(s, assigned);
  if (!each_line(parts.header, error, [&](DumpLine& line) { reader.header(line); })) return false;
  auto graphs = parse_graphs(parts.graphs, s.model.dims, error, sources);
  if (!graphs) return false;
  for (const Graph& graph : *graphs)
    if (error = check_roles(graph, s); !error.empty()) return false;
  set_graphs(s, std::move(*graphs), split);
  if (assigned) read_inputs(s);
  if (!each_line(parts.shardings, error, [&](DumpLine& line) { reader.sharding(line); }))
    return false;
  error = verify(s, PassStage::graphs);
  if (error.empty()) error = check_splits(s, &after >= find_pass("pad-dims"));
  return error.empty();
}

}  // namespace

std::string print(const State& s, const Pass& after) {
  std::string text = "state after " + std::string(after.name);
  for (const Option& option : kOptions)
    if (s.options.*option.flag) text += " " + std::string(option.name);
  if (const std::int32_t count = s.options.recompute_iterations)
    text += " " + std::string(kIterations) + " " + std::to_string(count);
  text += "\n";
  if (after.stage == PassStage::programs) return text + print(s.made.module);
  text += header_text(s);
  for (const Graph* graph : graphs_of(s)) text += print(*graph, s.model.dims);
  return text + shardings_text(s);
}

const Pass* read_state(const std::string& text, State& s, std::string& error,
                       const SourceMap* sources) {
  error.clear();
  const Pass* after = &passes().back();
  std::string rest = text;
  if (text.rfind("state ", 0) == 0) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    DumpLine line(std::string_view(text).substr(0, end));
    line.need("state ");
    line.need("after ");
    after = find_pass(line.word());
    s.options = {};
    for (const Option& option : kOptions)
      if (line.take(option.name)) s.options.*option.flag = true;
    if (line.take(kIterations))
      s.options.recompute_iterations =
          static_cast<std::int32_t>(line.integer(1, std::numeric_limits<std::int32_t>::max()));
    if (line.ok() && !after) line.fail("no pass has this name");
    if (line.ok() && !line.done()) line.fail("no option has this name");
    if (!line.ok()) {
      error = "line 1: " + line.error();
      return nullptr;
    }
    rest = "\n" + text.substr(std::min(end + 1, text.size()));  // keeps the numbers of lines
  }
  if (after->stage != PassStage::programs)
    return read_graphs(rest, *after, s, error, sources) ? after : nullptr;
  std::optional<Module> module = parse_module(rest, error, sources);
  if (!module) return nullptr;
  s.made = Compilation(std::move(*module));
  return after;
}

}  // namespace mtfc::lowering
