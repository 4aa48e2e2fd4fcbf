#include "plan/price/named_work.h"

#include <algorithm>
#include <set>

#include "ops/view.h"
#include "plan/price/compile.h"
#include "plan/price/made_again.h"
#include "plan/price/pricing.h"
#include "plan/space/examples.h"
#include "plan/space/sum_paths.h"
#include "predict/timeline.h"

namespace mtfc::plan {
namespace {

void sort_once(std::vector<std::size_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

bool alike(const WorkGroup& a, const WorkGroup& b) {
  return a.seconds == b.seconds && a.in_stages == b.in_stages && a.dims == b.dims &&
         a.summed == b.summed && a.result_bytes == b.result_bytes;
}

bool alike(const SumGroup& a, const SumGroup& b) { return a.paths == b.paths; }

bool alike(const ViewGroup& a, const ViewGroup& b) {
  return a.dims == b.dims && a.gone == b.gone && a.bytes == b.bytes;
}

bool alike(const VariableGroup& a, const VariableGroup& b) {
  return a.dims == b.dims && a.is_parameter == b.is_parameter && a.bytes == b.bytes;
}

/// The group of what is like this one, which is new where nothing was.
template <class Group>
Group& group_of(std::vector<Group>& groups, Group one) {
  const auto same = std::find_if(groups.begin(), groups.end(),
                                 [&](const Group& other) { return alike(other, one); });
  return same == groups.end() ? groups.emplace_back(std::move(one)) : *same;
}

/// Numbers of the one list that the other lacks, both ascending.
std::vector<std::size_t> difference(const std::vector<std::size_t>& numbers,
                                    const std::vector<std::size_t>& others) {
  std::vector<std::size_t> rest;
  std::set_difference(numbers.begin(), numbers.end(), others.begin(), others.end(),
                      std::back_inserter(rest));
  return rest;
}

/// Stages keep values that one program rather makes again: scores of attention too. Not what the
/// model, or a setting, says is computed again.
bool is_in_stages(const Instruction& at, const cost::Work& work) {
  const Phase phase = at.origin.phase;
  if (std::holds_alternative<Tiled>(at.kind) && phase != Phase::forward) return false;
  const bool again = phase == Phase::recompute && at.role.recompute != 0;
  return work.kind == cost::Work::Kind::product || again || phase == Phase::forward ||
         phase == Phase::backward;
}

/// A view gives what is split another name, and work on that may stay split.
std::set<std::string> own_names(const Model& model) {
  std::set<std::string> own;
  for (const Variable& variable : model.variables)
    for (const DimId dim : variable.type.dims) own.insert(model.dims[dim].name);
  for (const Input& input : model.inputs)
    for (const DimId dim : input.type.dims) own.insert(model.dims[dim].name);
  return own;
}

}  // namespace

NamedWork::NamedWork(const Space& space, const Models& models, const SourceMap& sources,
                     const predict::Machine& machine) {
  Layout settings = space.given;
  settings.mesh.reset();
  settings.rules.clear();
  settings.scopes.clear();
  settings.pipeline.reset();
  const Plain plain{sources, machine, settings};
  const std::int64_t all = models.iterations(), first = space.microbatches.front();
  // f(few) + (all - few) (f(few + 1) - f(few))
  const bool whole = all < many_iterations;
  const auto further = static_cast<double>(all - fewest_iterations);
  if (const Model* model = whole ? models.find(first) : nullptr) add(*model, plain, 1, 0);
  if (whole && (all == 0 || space.staged.empty())) return;
  const Model* less = models.find(first, fewest_iterations);
  const Model* more = models.find(first, fewest_iterations + 1);
  if (!less || !more) return;
  add(*less, plain, whole ? 0 : 1 - further, -1);
  add(*more, plain, whole ? 0 : further, 1);
}

std::vector<std::size_t> NamedWork::numbers_of(const DimTable& table, const DimList& dims) {
  std::vector<std::size_t> numbers;
  for (const DimId dim : dims)
    if (const Dim& one = table[dim]; one.size > 1)
      numbers.push_back(numbers_.try_emplace(one.name, numbers_.size()).first->second);
  sort_once(numbers);
  return numbers;
}

void NamedWork::add(const Model& model, const Plain& plain, double times, double each) {
  const predict::Machine& machine = plain.machine;
  Compiler compiler(plain.sources, plain.settings, machine.chip.detail());
  const std::optional<Compiled> made = compiler.compile({}, model);
  if (!made) return;
  if (const auto state = compiler.before_splits(model)) add_sums(*state, times, each);
  if (times != 0) {
    add_views(model, times);
    add_variables(made->module, times);
  }
  const Names names{own_names(model), example_dims(model)};
  const DimTable& dims = made->module.dims;
  for (const cost::ProgramWork& work : made->work) {
    const Program& program = *made->module.find(work.program);
    const Examples on_examples(made->module, program, {names.examples});
    const std::vector<predict::Timed> timed = predict::timeline(work.instructions, machine, {});
    const auto often = static_cast<double>(work.times);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      const Instruction& at = program.instructions[i];
      const cost::Work once = work_made_once(program, i, dims, work.instructions[i]);
      WorkGroup group;
      group.seconds = on_examples.seconds(at, once, timed[i], machine.chip);
      if (group.seconds == 0) continue;
      group.in_stages = is_in_stages(at, work.instructions[i]);
      note_names(group, at, program, dims, names);
      WorkGroup& sum = group_of(groups_, std::move(group));
      sum.count += times * often;
      sum.each += each * often;
    }
  }
}

void NamedWork::note_names(WorkGroup& group, const Instruction& at, const Program& program,
                           const DimTable& dims, const Names& names) {
  DimList all, made;
  const auto in = [&](const std::set<std::string>& some, DimId dim) {
    return some.contains(dims[dim].name);
  };
  for (const ValueId id : at.results) {
    const TensorType& type = program.at(id).type.tensor;
    group.result_bytes += bytes_of(dims, type);
    made.insert(made.end(), type.dims.begin(), type.dims.end());
  }
  for (const ValueId id : at.operands) {
    const DimList& read = program.at(id).type.tensor.dims;
    all.insert(all.end(), read.begin(), read.end());
  }
  all.insert(all.end(), made.begin(), made.end());
  for (const DimId dim : all) group.splits_anyhow |= dims[dim].size > 1 && !in(names.own, dim);
  for (const DimId dim : made) group.of_examples |= in(names.examples, dim);
  group.dims = numbers_of(dims, all);
  group.summed = difference(group.dims, numbers_of(dims, made));
  add_summed(group, at, dims);
  sort_once(group.summed);
}

/// Steps of a tile sum over dimensions that its results may have.
void NamedWork::add_summed(WorkGroup& group, const Instruction& at, const DimTable& dims) {
  const auto* tiled = std::get_if<Tiled>(&at.kind);
  if (tiled == nullptr) return;
  for (const Tiled::Step& step : tiled->steps)
    if (const auto* product = std::get_if<Contract>(&step.kind))
      for (const std::size_t number : numbers_of(dims, product->reduced))
        group.summed.push_back(number);
}

void NamedWork::add_views(const Model& model, double times) {
  const std::set<std::string> examples = example_dims(model);
  for (const Operation& op : model.train.ops) {
    if (ops::view_groups(op) == nullptr) continue;
    const TensorType& from = model.train.at(op.operands.front()).type;
    const TensorType& to = model.train.at(op.results.front()).type;
    if (std::none_of(to.dims.begin(), to.dims.end(),
                     [&](DimId dim) { return examples.contains(model.dims[dim].name); }))
      continue;
    const std::vector<std::size_t> after = numbers_of(model.dims, to.dims);
    const std::vector<std::size_t> before = numbers_of(model.dims, from.dims);
    group_of(views_, ViewGroup{after, difference(before, after), difference(after, before),
                               bytes_of(model.dims, to)})
        .count += times;
  }
}

void NamedWork::add_sums(const lowering::State& state, double times, double each) {
  const std::set<std::string> examples = example_dims(state.model);
  const DimTable& dims = state.model.dims;
  for (const StepProgram& step : state.step) {
    const auto& graphs = state.made.graphs;
    const auto graph = std::find_if(graphs.begin(), graphs.end(),
                                    [&](const Graph& one) { return one.name == step.program; });
    if (graph == graphs.end()) continue;
    const auto often = static_cast<double>(step.microbatches);
    for (const std::vector<SumPath>& paths : sum_paths(*graph, dims, examples)) {
      SumGroup group;
      for (const SumPath& path : paths) {
        group.paths.push_back({numbers_of(dims, path.summed), {}});
        for (const ValueId id : path.values)
          group.paths.back().values.push_back(value_of(*graph, dims, id));
      }
      SumGroup& sum = group_of(sums_, std::move(group));
      sum.count += times * often;
      sum.each += each * often;
    }
  }
}

SumGroup::Value NamedWork::value_of(const Graph& graph, const DimTable& dims, ValueId id) {
  SumGroup::Value value{
      numbers_of(dims, graph.at(id).type.dims), {}, bytes_of(dims, graph.at(id).type)};
  DimList cut = graph.at(id).type.dims;
  for (const Operation& op : graph.ops)
    if (ops::view_groups(op) != nullptr && op.operands.front() == id)
      for (const DimId dim : graph.at(op.results.front()).type.dims) cut.push_back(dim);
  value.cut = numbers_of(dims, cut);
  return value;
}

void NamedWork::add_variables(const Module& module, double times) {
  for (const ModuleVariable& variable : module.variables)
    group_of(variables_, VariableGroup{numbers_of(module.dims, variable.type.tensor.dims),
                                       variable.kind == Variable::Kind::parameter,
                                       bytes_of(module.dims, variable.type.tensor)})
        .count += times;
}

AxisSet bits_of(const Mesh& mesh, const std::vector<std::string>& axes) {
  AxisSet bits = 0;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    if (std::find(axes.begin(), axes.end(), mesh.axes[i].name) != axes.end())
      bits |= AxisSet{1} << i;
  return bits;
}

double size_of(const Mesh& mesh, AxisSet axes) {
  double size = 1;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    if (axes >> i & 1) size *= static_cast<double>(mesh.axes[i].size);
  return size;
}

std::vector<AxisId> ids_of(AxisSet axes) {
  std::vector<AxisId> ids;
  for (std::int32_t i = 0; axes >> i != 0; ++i)
    if (axes >> i & 1) ids.push_back(AxisId{i});
  return ids;
}

AxisSet all_of(const std::vector<std::size_t>& names, const std::vector<AxisSet>& axes) {
  AxisSet all = 0;
  for (const std::size_t name : names) all |= axes[name];
  return all;
}

double variable_bytes(const NamedWork& work, const Choice& choice, bool shares_update) {
  std::vector<AxisSet> axes(work.names(), 0);
  const auto add = [&](const std::vector<Split>& splits) {
    for (const Split& split : splits)
      if (const std::size_t* name = work.find(split.dim))
        axes[*name] |= bits_of(choice.mesh, split.axes);
  };
  add(choice.rules);
  add(choice.kept);
  for (const BlockSplit& block : choice.blocks) add(block.splits);
  const auto processors = static_cast<double>(choice.mesh.processors());
  double bytes = 0;
  for (const VariableGroup& group : work.variables()) {
    const bool by_all = shares_update && !group.is_parameter;
    const double shards = by_all ? processors : size_of(choice.mesh, all_of(group.dims, axes));
    bytes += group.count * group.bytes / shards;
  }
  return bytes / (choice.pipeline ? std::max(1, choice.pipeline->stages) : 1);
}

}  // namespace mtfc::plan
