#include "lowering/pipeline.h"

#include <algorithm>

#include "ir/text.h"
#include "lowering/graph/append_update.h"
#include "lowering/graph/blockwise.h"
#include "lowering/graph/differentiate.h"
#include "lowering/graph/loss_scale.h"
#include "lowering/graph/microbatch/microbatch_step.h"
#include "lowering/graph/pool_means.h"
#include "lowering/graph/rewrite.h"
#include "lowering/program/program_passes.h"
#include "layout/assign.h"
#include "lowering/spmd/lower_graph.h"
#include "lowering/spmd/pad_update.h"
#include "lowering/spmd/sharded_update.h"
#include "ops/inputs.h"
#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

/// What the passes work on: graphs first, programs later.
struct State {
  Model model;
  Placement placement;  // grows with the dimensions of blocks
  const Request& request;
  std::vector<Graph> graphs;  // "init", "train", "eval_begin", "eval", "eval_finish", "run"
  std::vector<StepProgram> step;
  Module module;
};

bool has_loss(const Graph& graph) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [](const Output& o) { return o.kind == Output::Kind::loss; });
}

/// The last value of that name.
ValueId named_value(const Graph& graph, const std::string& name) {
  for (std::size_t i = graph.values.size(); i-- > 0;) {
    if (graph.values[i].name == name) return ValueId{static_cast<std::int32_t>(i)};
  }
  return {};
}

/// One loss "loss", the sum of all; each under its own name too if there are others.
ValueId total_loss(Graph& graph, const DimTable& dims) {
  ops::Builder build(graph, dims);
  std::vector<Output> others, losses;
  ValueId total;
  for (const Output& output : graph.outputs) {
    if (output.kind != Output::Kind::loss) {
      others.push_back(output);
      continue;
    }
    build.follow(graph.producer(output.value));
    total = total.valid() ? build.binary("add", total, output.value) : output.value;
    losses.push_back(output);
  }
  if (!total.valid()) return total;
  graph.outputs = {{Output::Kind::loss, "loss", total}};
  for (const Output& loss : losses) {
    if (loss.name != "loss") graph.outputs.push_back(loss);
  }
  graph.outputs.insert(graph.outputs.end(), others.begin(), others.end());
  return total;
}

ValueId loss_of(const Graph& graph) {
  for (const Output& output : graph.outputs) {
    if (output.kind == Output::Kind::loss && output.name == "loss") return output.value;
  }
  return {};
}

// ---------------------------------------------------------------- passes over graphs
void total(State& s) {
  total_loss(s.model.train, s.model.dims);
  total_loss(s.model.eval, s.model.dims);
  total_loss(s.model.parts.graph, s.model.dims);
}

/// The program of `run`: named tensors, and their gradients with `gradients`.
Graph run_graph(State& s) {
  Graph graph = s.request.training_mode ? s.model.train : s.model.eval;
  graph.name = program_names::run;
  const ValueId loss = loss_of(graph);
  std::vector<Output> wanted;
  for (const std::string& name : s.request.tensors) {
    const ValueId id = named_value(graph, name);
    MTFC_CHECK(id.valid(), "no tensor is named `" + name + "`");
    wanted.push_back({Output::Kind::tensor, name, id});
  }
  graph.outputs = wanted;
  if (!s.request.gradients || !loss.valid()) return graph;

  graph.outputs.push_back({Output::Kind::loss, "loss", loss});
  graph = expand(share_and_prune(graph, s.model.dims), s.model.dims, true);
  graph = share_and_prune(graph, s.model.dims);
  std::vector<ValueId> values;
  for (const Output& output : graph.outputs) values.push_back(output.value);
  values.pop_back();
  ops::Builder build(graph, s.model.dims);
  const std::vector<ValueId> grads =
      differentiate(build, graph.outputs.back().value, values, s.model.recompute_parents);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (grads[i].valid()) {
      graph.outputs.push_back({Output::Kind::tensor, "grad." + graph.outputs[i].name, grads[i]});
    }
  }
  return graph;
}

/// Without a loss: what nothing else uses.
void name_sinks(const Graph& graph, std::vector<std::string>& names) {
  std::vector<bool> used(graph.values.size());
  for (const Operation& op : graph.ops) {
    for (ValueId operand : op.operands) used[operand.at()] = true;
  }
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (!used[i] && !graph.values[i].name.empty()) names.push_back(graph.values[i].name);
  }
}

void update(Model& model, Graph& graph, const std::vector<Trained>& trained) {
  graph.updates = add_update(model, graph, trained);
  skip_bad_steps(model, graph, trained, graph.updates);
}

/// With micro-batches: the programs of a step in place of `train`.
void differentiate_parts(State& s) {
  Model& m = s.model;
  // Without an update, the gradients are what a step computes.
  const bool dump = s.request.dump_tensors;
  StepInParts step = step_in_parts(m, {dump, dump || !m.settings.present});
  m.variables.insert(m.variables.end(), step.accumulators.begin(), step.accumulators.end());
  if (m.settings.present) update(m, step.apply, step.trained);
  const auto add = [&](Graph& graph, std::int64_t parts) {
    if (graph.outputs.empty()) return;
    s.step.push_back({graph.name, parts});
    s.graphs.push_back(std::move(graph));
  };
  add(step.measure, m.parts.count);
  add(step.seed, 1);
  add(step.accumulate, m.parts.count);
  add(step.apply, 1);
}

void differentiate_train(State& s) {
  Model& m = s.model;
  if (!has_loss(m.train) || s.request.generation) return;
  if (m.parts.count > 1) return differentiate_parts(s);
  s.step = {{program_names::train, 1}};
  if (s.request.dump_tensors) {
    std::vector<std::string> seen;
    for (std::size_t i = m.train.values.size(); i-- > 0;) {
      const std::string& name = m.train.values[i].name;
      if (name.empty() || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      m.train.outputs.push_back(
          {Output::Kind::tensor, name, ValueId{static_cast<std::int32_t>(i)}});
    }
  }
  m.train = expand(share_and_prune(m.train, m.dims), m.dims, true);
  m.train = share_and_prune(m.train, m.dims);

  std::vector<std::size_t> parameters;
  std::vector<ValueId> values;
  for (std::size_t i = 0; i < m.variables.size(); ++i) {
    const Variable& v = m.variables[i];
    if (v.kind != Variable::Kind::parameter || !v.trainable) continue;
    for (const Operation& op : m.train.ops) {
      const std::string* read = ops::variable_read(op);
      if (!read || *read != v.path) continue;
      parameters.push_back(i);
      values.push_back(op.results[0]);
      break;
    }
  }
  ops::Builder build(m.train, m.dims);
  const ValueId loss = loss_of(m.train);
  const std::vector<ValueId> grads =
      differentiate(build, {{loss, loss_seed(m, build, loss)}}, values, m.recompute_parents);
  std::vector<Trained> trained;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].valid()) continue;
    const std::string& path = m.variables[parameters[i]].path;
    const ValueId gradient = unscaled(m, build, grads[i], path);
    trained.push_back({parameters[i], values[i], grads[i], gradient});
    const std::string name = "grad." + path;
    build.set_name(gradient, name);
    // Without an update, the gradients are what a step computes.
    if (s.request.dump_tensors || !m.settings.present) {
      m.train.outputs.push_back({Output::Kind::tensor, name, gradient});
    }
  }
  if (m.settings.present) update(m, m.train, trained);
}

void choose_graphs(State& s) {
  Model& m = s.model;
  m.init.name = program_names::init;
  m.train.name = program_names::train;
  s.graphs.insert(s.graphs.begin(), m.init);
  if (s.request.generation) {
    for (Graph& graph : derive_generation(m, s.placement, *s.request.generation))
      s.graphs.push_back(std::move(graph));
    return;
  }
  if (has_loss(m.train) && m.parts.count == 1) s.graphs.push_back(m.train);
  if (has_loss(m.eval)) {
    Pooled pooled = pool_means(m);
    m.variables.insert(m.variables.end(), pooled.accumulators.begin(), pooled.accumulators.end());
    s.graphs.push_back(std::move(pooled.begin));
    s.graphs.push_back(std::move(pooled.batch));
    s.graphs.push_back(std::move(pooled.finish));
  }
}

void expand_all(State& s) {
  for (Graph& graph : s.graphs) {
    graph = expand(share_and_prune(graph, s.model.dims), s.model.dims, false);
  }
}

void blockwise_all(State& s) {
  for (Graph& graph : s.graphs) graph = work_blockwise(graph, s.model.dims, s.placement);
}

void share_all(State& s) {
  for (Graph& graph : s.graphs) graph = share_and_prune(graph, s.model.dims);
}

// ---------------------------------------------------------------- passes over programs
bool adds_up(const Graph& graph) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [](const Output& o) { return o.kind == Output::Kind::accumulate; });
}

/// `update=sharded`: the graph with the update, padded where necessary, and how its values are
/// split.
std::vector<Sharding> shard_update(State& s, Graph& graph, VariableTable& variables) {
  Module& module = s.module;
  std::vector<Sharding> table = assign(graph, s.placement);
  std::vector<UpdateShare> shares =
      share_out_update(graph, {module.dims, s.placement, table, variables});
  if (std::any_of(shares.begin(), shares.end(),
                  [](const UpdateShare& share) { return !share.padded.empty(); })) {
    graph = pad_update(graph, shares, module.dims, s.placement, module.variables);
    table = assign(graph, s.placement);
  }
  shard_update(graph, shares, table, module.variables);
  return table;
}

/// The update is lowered before what gives its states their first values: it decides on their
/// types.
void lower_some(State& s, bool adding, VariableTable& variables, std::vector<Program>& made) {
  Module& module = s.module;
  const bool sharded = s.placement.sharded_update || s.model.settings.update == "sharded";
  for (std::size_t i = s.graphs.size(); i-- > 0;) {
    Graph& graph = s.graphs[i];
    if (adds_up(graph) != adding) continue;
    if (sharded && graph.name == program_names::init)
      graph = pad_first_values(graph, module.dims, module.variables);
    const std::vector<Sharding> table =
        sharded ? shard_update(s, graph, variables) : assign(graph, s.placement);
    made[i] = lower_graph(graph, {module.dims, s.placement, table, variables});
  }
}

void lower_all(State& s) {
  Module& module = s.module;
  module.model_path = s.model.path;
  module.mesh = s.placement.mesh;
  module.dims = s.model.dims;
  module.step = s.step;
  for (const Variable& v : s.model.variables) {
    module.variables.push_back({v.path, {v.type, sharding_of(v.type.dims, s.placement)}, v.kind});
  }
  for (const Input& input : s.model.inputs) {
    module.inputs.push_back({input.name,
                             {input.type, sharding_of(input.type.dims, s.placement)},
                             input.source,
                             input.field});
  }
  VariableTable variables(module.variables);
  module.programs.resize(s.graphs.size());
  // Programs that add to variables say which of these are pending sums; the others read them.
  lower_some(s, true, variables, module.programs);
  lower_some(s, false, variables, module.programs);
}

template <void (*pass)(Program&)>
void each_program(State& s) {
  for (Program& program : s.module.programs) pass(program);
}

void narrow_all(State& s) {
  if (s.placement.narrow_sums)
    for (Program& program : s.module.programs) narrow_sums(program);
}

/// `set reduce=library`: every sum over processors.
void library_all(State& s) {
  if (!s.placement.library_sums) return;
  for (Program& program : s.module.programs)
    for (Instruction& instruction : program.instructions)
      if (Summing* how = summing(instruction.kind)) how->by_library = true;
}

void gather_reduce_all(State& s) {
  for (Program& program : s.module.programs) gather_reduce(program, s.module.dims, s.module.mesh);
}

void bucket_all(State& s) {
  for (Program& program : s.module.programs) bucket_collectives(program, s.module.dims);
}

struct Pass {
  const char* name;
  void (*run)(State&);
  bool on_programs;
};

/// The order, and why.
const Pass kPasses[] = {
    {"total", total, false},  // the losses become one, before anything reads it
    {"differentiate", differentiate_train, false},  // on the global graph: collectives have none
    {"graphs", choose_graphs, false},  // after it, since the update adds variables and init values
    {"expand", expand_all, false},     // composites, once their own gradients have been used
    {"blockwise", blockwise_all, false},  // before what it makes alike is shared
    {"share", share_all, false},          // gradients repeat parts of the forward pass
    {"lower", lower_all, true},
    {"share-moves", each_program<share_moves>, true},  // before counting who uses what is moved
    {"gather-reduce", gather_reduce_all, true},        // before it: its sums may be cut
    {"reduce-scatter", each_program<scatter_reductions>, true},  // before maps hide the slices
    {"wire", narrow_all, true},  // after it: a cast would stand between the sum and its slice
    {"casts", each_program<absorb_casts>, true},   // while each is a map of its own
    {"stages", each_program<stage_update>, true},  // so that there is something to pack
    {"bucket", bucket_all, true},  // after what makes collectives, or takes one apart
    {"fuse", each_program<fuse_maps>, true},
    {"overlap", each_program<overlap_sums>, true},  // after it: what is fused may move
    {"library", library_all, true},
};

std::string text_of(const State& s, bool on_programs) {
  if (on_programs) return print(s.module);
  std::string text;
  if (s.graphs.empty()) {
    for (const Graph* g : {&s.model.init, &s.model.train, &s.model.eval}) {
      text += print(*g, s.model.dims);
    }
  }
  for (const Graph& g : s.graphs) text += print(g, s.model.dims);
  return text;
}

}  // namespace

const std::vector<std::string>& pass_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Pass& pass : kPasses) list.emplace_back(pass.name);
    return list;
  }();
  return names;
}

Module lower(const Model& model, const Placement& placement, const Request& request) {
  Request wanted = request;
  if (!has_loss(model.train) && wanted.tensors.empty() && !wanted.generation)
    name_sinks(model.eval, wanted.tensors);
  State s{model, placement, wanted, {}, {}, {}};
  if (request.evaluation) s.model.train.outputs.clear();  // no loss, so no update either
  for (const Pass& pass : kPasses) {
    if (std::string(pass.name) == "graphs" && !wanted.tensors.empty()) {
      pass.run(s);
      s.graphs.push_back(run_graph(s));
    } else {
      pass.run(s);
    }
    if (request.after) request.after(pass.name, [&] { return text_of(s, pass.on_programs); });
  }
  return std::move(s.module);
}

}  // namespace mtfc::lowering
