#include "lowering/graph/microbatch/microbatch_step.h"

#include <algorithm>
#include <set>

#include "ir/named_values.h"
#include "lowering/graph/differentiate.h"
#include "lowering/graph/loss_scale.h"
#include "lowering/graph/microbatch/example_flow.h"
#include "lowering/graph/rewrite.h"
#include "ops/inputs.h"
#include "ops/mean.h"
#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

/// Sums over micro-batches are kept in at least 32 bits.
DType sum_type(DType dtype) {
  return is_float(dtype) && size_of(dtype) < 4 ? DType::f32
         : dtype == DType::boolean             ? DType::i32
                                               : dtype;
}

ValueId value_of_read(const Graph& graph, const std::string& path) {
  for (const Operation& op : graph.ops) {
    if (const std::string* read = ops::variable_read(op); read && *read == path)
      return op.results[0];
  }
  return {};
}

class Cutting {
 public:
  explicit Cutting(const Model& model)
      : model_(model),
        batch_(model.microbatch.graph),
        flow_(batch_, model.dims, model.microbatch),
        each_(out_.accumulate, model.dims),
        apply_(out_.apply, model.dims),
        seed_(out_.seed, model.dims),
        to_each_(batch_, each_),
        to_apply_(batch_, apply_) {
    out_.measure.name = program_names::measure;
    out_.seed.name = "seed";
    out_.accumulate.name = program_names::accumulate;
    out_.apply.name = program_names::apply;
  }

  MicrobatchStep run(Shown shown) {
    for (const Operation& op : batch_.ops) {
      if (flow_.ends(op)) cut(op);
    }
    for (const Output& output : batch_.outputs)
      out_.apply.outputs.push_back({output.kind, output.name, to_apply_.copy(output.value)});
    if (shown.values) show_values();
    settle();
    differentiate_both(shown.gradients);
    measure();
    return std::move(out_);
  }

 private:
  /// A variable to which every micro-batch adds `amount`; its value as `apply` reads it.
  ValueId sum_of_microbatches(const std::string& path, ValueId amount) {
    each_.origin.phase = apply_.origin.phase;
    each_.role.kind = apply_.role.kind;
    amount = each_.cast(amount, sum_type(each_.type(amount).dtype));
    Variable variable;
    variable.path = path;
    variable.type = each_.type(amount);
    variable.kind = Variable::Kind::accumulator;
    variable.trainable = false;
    out_.accumulators.push_back(variable);
    out_.accumulate.outputs.push_back({Output::Kind::accumulate, path, amount});
    return apply_.read(path, variable.type);
  }
  ValueId total(ValueId amount) {
    return sum_of_microbatches(owner_names::path(owner_names::step, std::to_string(totals_++)),
                               amount);
  }

  /// From here on `apply` continues with totals of all micro-batches.
  void cut(const Operation& op) {
    const ValueId result = op.results[0];
    const TensorType& type = batch_.at(result).type;
    const ValueId mine = to_each_.copy(result);
    each_.follow(op);
    apply_.follow(op);
    ValueId sum;
    if (flow_.adds_up(op)) {
      sum = total(mine);
    } else if (ops::is_mean(op) && op.operands.size() == 2) {
      const ops::MeanParts mean = ops::mean_parts(each_, Operation(out_.accumulate.producer(mine)));
      const ValueId weighted = total(mean.numerator), weight = total(mean.denominator);
      sum = ops::safe_ratio(apply_, weighted, weight);
    } else if (const std::optional<Combine> of_truths = flow_.decides(op)) {
      const auto least =
          static_cast<double>(*of_truths == Combine::max ? 1 : model_.microbatch.count);
      sum = apply_.binary("le", apply_.constant(least, DType::i32), total(mine));
    } else {
      const DType dtype = is_float(type.dtype) ? type.dtype : DType::f64;
      const ValueId share =
          each_.constant(1.0 / static_cast<double>(model_.microbatch.count), dtype);
      sum = total(each_.binary("mul", each_.cast(mine, dtype), share));
      if (!is_float(type.dtype)) sum = apply_.unary("round", sum);
    }
    sum = apply_.broadcast(apply_.cast(sum, type.dtype), type.dims);
    to_apply_.replace(result, sum);
    if (const std::string& name = batch_.at(result).name; !name.empty()) apply_.set_name(sum, name);
  }

  /// Named values in global form: those of examples are put together from all micro-batches.
  void show_values() {
    for (const auto& [name, id] : named_values(batch_)) {
      if (!flow_.has(id)) {
        out_.apply.outputs.push_back({Output::Kind::tensor, name, to_apply_.copy(id)});
        continue;
      }
      int carriers = 0;
      const ExampleDim* along = nullptr;
      for (DimId dim : batch_.at(id).type.dims) {
        if (const ExampleDim* d = model_.microbatch.of_micro(dim)) along = d, ++carriers;
      }
      if (carriers == 1 && along->is_of_whole_examples()) show(name, id, *along);
    }
  }

  void show(const std::string& name, ValueId id, const ExampleDim& along) {
    const TensorType& type = batch_.at(id).type;
    each_.follow(batch_.producer(id));
    apply_.follow(batch_.producer(id));
    ValueId x = to_each_.copy(id);
    if (type.dtype == DType::boolean) x = each_.cast(x, DType::i32);
    DimList dims, position;  // of the whole value; of this micro-batch's examples among all
    for (DimId dim : type.dims) dims.push_back(dim == along.micro ? along.batch : dim);
    for (DimId dim : along.merged.empty() ? DimList{along.batch} : along.merged) {
      const ExampleDim* d = model_.microbatch.of_batch(dim);
      position.push_back(d ? d->micro : dim);
      if (d) position.push_back(model_.microbatch.number);
    }
    if (!along.merged.empty())
      x = each_.view(x, {{{along.micro}, without(position, {model_.microbatch.number})}});
    const ValueId now = each_.apply("microbatch", {});
    const ValueId mine = each_.binary("eq", each_.index(model_.microbatch.number), now);
    x = each_.where(mine, x, each_.constant(0, each_.type(x).dtype));
    x = each_.broadcast(each_.view(x, {{position, {along.batch}}}), dims);
    const ValueId all = apply_.cast(
        sum_of_microbatches(owner_names::path(owner_names::step, "value." + name), x), type.dtype);
    out_.apply.outputs.push_back({Output::Kind::tensor, name, all});
  }

  Graph simple(const Graph& graph) const {
    Graph result = expand(share_operations(graph, model_.dims), model_.dims, true);
    return share_operations(result, model_.dims);
  }

  /// Keeps the totals that `apply` reads, and what `accumulate` needs for them.
  void settle() {
    out_.apply = simple(out_.apply);
    std::set<std::string> read;
    for (const Operation& op : out_.apply.ops) {
      if (const std::string* variable = ops::variable_read(op)) read.insert(*variable);
    }
    std::erase_if(out_.accumulators, [&](const Variable& v) { return !read.count(v.path); });
    std::erase_if(out_.accumulate.outputs, [&](const Output& o) { return !read.count(o.name); });
    out_.accumulate = simple(out_.accumulate);
  }

  /// d loss / d parameter = what `apply` computes from the parameter itself + the sum over
  /// micro-batchs, which start from d loss / d total.
  void differentiate_both(bool show) {
    ValueId loss;
    for (const Output& output : out_.apply.outputs) {
      if (output.kind == Output::Kind::loss && output.name == "loss") loss = output.value;
    }
    std::vector<std::size_t> parameters;
    std::vector<ValueId> in_each, in_apply;  // by parameter; not valid where it is not used
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const Variable& v = model_.variables[i];
      if (v.kind != Variable::Kind::parameter || !v.trainable) continue;
      parameters.push_back(i);
      in_each.push_back(value_of_read(out_.accumulate, v.path));
      in_apply.push_back(value_of_read(out_.apply, v.path));
    }
    const std::vector<Seed> amounts = active_totals(in_each);  // and their reads in `apply`
    std::vector<ValueId> wanted;
    for (const Seed& s : amounts) wanted.push_back(s.gradient);
    const std::vector<ValueId> direct =
        gradients(apply_, {{loss, loss_seed(model_, apply_, loss)}}, in_apply, wanted);

    const std::vector<Seed> seeds = seeds_of(amounts, wanted);
    std::vector<ValueId> none;
    const std::vector<ValueId> summed = gradients(each_, seeds, in_each, none);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      end_gradient(parameters[i], direct[i], summed[i], show);
  }

  /// Whether the operation reads a total.
  bool is_total(const Operation& op) const {
    const std::string* path = ops::variable_read(op);
    return path && std::any_of(out_.accumulators.begin(), out_.accumulators.end(),
                               [&](const Variable& v) { return v.path == *path; });
  }

  /// The backward pass of a micro-batch starts from the gradients of its amounts, which are those
  /// of the totals. One that depends on totals is computed once, from all of them.
  std::vector<Seed> seeds_of(const std::vector<Seed>& amounts, const std::vector<ValueId>& grads) {
    std::vector<bool> from_totals(out_.apply.values.size());
    for (const Operation& op : out_.apply.ops) {
      bool any = is_total(op);
      for (ValueId operand : op.operands) any = any || from_totals[operand.at()];
      for (ValueId result : op.results) from_totals[result.at()] = any;
    }
    Copier to_each(out_.apply, each_), to_seed(out_.apply, seed_);
    std::vector<Seed> seeds;
    std::vector<Variable> variables;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      if (!grads[i].valid()) continue;
      if (!from_totals[grads[i].at()]) {
        seeds.push_back({amounts[i].value, to_each.copy(grads[i])});
        continue;
      }
      Variable variable;
      variable.path = owner_names::path(owner_names::step, "seed." + std::to_string(i));
      variable.type = apply_.type(grads[i]);
      variable.kind = Variable::Kind::accumulator;
      variable.trainable = false;
      out_.seed.outputs.push_back({Output::Kind::variable, variable.path, to_seed.copy(grads[i])});
      seeds.push_back({amounts[i].value, each_.read(variable.path, variable.type)});
      variables.push_back(variable);
    }
    out_.accumulators.insert(out_.accumulators.end(), variables.begin(), variables.end());
    return seeds;
  }

  /// Amounts that parameters change, each with its total's read in `apply`.
  std::vector<Seed> active_totals(const std::vector<ValueId>& parameters) const {
    const std::vector<bool> active = active_values(out_.accumulate, valid_ones(parameters));
    std::vector<Seed> found;
    for (const Output& output : out_.accumulate.outputs) {
      const ValueId read = value_of_read(out_.apply, output.name);
      if (active[output.value.at()] && read.valid()) found.push_back({output.value, read});
    }
    return found;
  }

  static std::vector<ValueId> valid_ones(const std::vector<ValueId>& ids) {
    std::vector<ValueId> valid;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(valid),
                 [](ValueId id) { return id.valid(); });
    return valid;
  }

  /// Gradients with respect to `parameters` (invalid ones stay so); those of `others` replace them.
  std::vector<ValueId> gradients(ops::Builder& build, const std::vector<Seed>& seeds,
                                 const std::vector<ValueId>& parameters,
                                 std::vector<ValueId>& others) const {
    std::vector<ValueId> wanted = valid_ones(parameters);
    const std::size_t split = wanted.size();
    wanted.insert(wanted.end(), others.begin(), others.end());
    const std::vector<ValueId> found =
        differentiate(build, seeds, wanted, model_.recompute_parents);
    others.assign(found.begin() + static_cast<std::ptrdiff_t>(split), found.end());
    std::vector<ValueId> result;
    std::size_t next = 0;
    for (ValueId id : parameters) result.push_back(id.valid() ? found[next++] : ValueId{});
    return result;
  }

  void end_gradient(std::size_t number, ValueId direct, ValueId summed, bool show) {
    const Variable& parameter = model_.variables[number];
    const std::string name = gradient_names::of(parameter.path);
    ValueId sum = direct;
    if (summed.valid()) {
      apply_.follow(out_.accumulate.producer(summed));
      each_.follow(out_.accumulate.producer(summed));
      each_.set_name(summed, name);
      const std::string path = owner_names::path(owner_names::step, name);
      out_.gradients.emplace(path, number);
      const ValueId all = apply_.cast(sum_of_microbatches(path, summed), each_.type(summed).dtype);
      sum = direct.valid() ? apply_.binary("add", all, direct) : all;
    }
    ValueId value = value_of_read(out_.apply, parameter.path);
    if (sum.valid() && !value.valid()) value = apply_.read(parameter.path, parameter.type);
    if (!sum.valid()) return;
    out_.trained.push_back({number, value, sum, unscaled(model_, apply_, sum, parameter.path)});
    sum = out_.trained.back().gradient;
    apply_.set_name(sum, name);
    if (show) out_.apply.outputs.push_back({Output::Kind::tensor, name, sum});
  }

  /// Totals that seeds need must be known before: they move to a program of their own.
  void measure() {
    std::set<std::string> early;
    for (const Operation& op : out_.seed.ops) {
      if (is_total(op)) early.insert(*ops::variable_read(op));
    }
    ops::Builder build(out_.measure, model_.dims);
    Copier copier(out_.accumulate, build);
    for (const Output& output : out_.accumulate.outputs) {
      if (early.count(output.name))
        out_.measure.outputs.push_back({output.kind, output.name, copier.copy(output.value)});
    }
    std::erase_if(out_.accumulate.outputs, [&](const Output& o) { return early.count(o.name); });
  }

  const Model& model_;
  const Graph& batch_;
  ExampleFlow flow_;
  MicrobatchStep out_;
  ops::Builder each_, apply_, seed_;
  Copier to_each_, to_apply_;
  int totals_ = 0;
};

}  // namespace

MicrobatchStep microbatch_step(const Model& model, Shown shown) {
  return Cutting(model).run(shown);
}

}  // namespace mtfc::lowering
