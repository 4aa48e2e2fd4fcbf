#include "lowering/graph/pool_means.h"

#include <algorithm>
#include <optional>

#include "lowering/graph/consecutive_examples.h"
#include "lowering/graph/mask_reductions.h"
#include "lowering/graph/real_examples.h"
#include "lowering/graph/rewrite.h"
#include "ops/mean.h"
#include "ops/op.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

class Pooling {
 public:
  Pooling(const Model& model, Graph eval)
      : eval_(std::move(eval)),
        begin_(out_.begin, model.dims),
        batch_(out_.batch, model.dims),
        finish_(out_.finish, model.dims),
        to_batch_(eval_, batch_),
        to_finish_(eval_, finish_),
        real_(evaluated_examples(model), eval_, batch_, &to_batch_) {
    out_.begin.name = program_names::eval_begin;
    out_.batch.name = program_names::eval;
    out_.finish.name = program_names::eval_finish;
  }

  Pooled run() {
    find_batch_dependent();
    number_samples();
    mask_reductions(eval_, in_batch(), batch_, to_batch_, real_);
    for (const Operation& op : eval_.ops) {
      if (is_pooled(op) && reaches_output_[op.results[0].at()]) pool(op);
    }
    for (const Output& output : eval_.outputs) finish_output(output);
    return std::move(out_);
  }

 private:
  /// A mean over everything of what depends on the batch.
  bool is_pooled(const Operation& op) const {
    return ops::is_whole_mean(eval_, op) &&
           std::any_of(op.operands.begin(), op.operands.end(),
                       [&](ValueId operand) { return dependent_[operand.at()]; });
  }

  /// Which values depend on the batch other than through a pooled mean; which outputs need.
  void find_batch_dependent() {
    dependent_.resize(eval_.values.size());
    for (const Operation& op : eval_.ops) {
      const ops::Kind kind = ops::op_of(op).kind;
      bool any = kind == ops::Kind::field || (kind == ops::Kind::random && real_.carrier(op)) ||
                 real_.makes_examples(op);
      for (ValueId operand : op.operands) any = any || dependent_[operand.at()];
      for (ValueId result : op.results) dependent_[result.at()] = any && !is_pooled(op);
    }
    reaches_output_.resize(eval_.values.size());
    for (const Output& output : eval_.outputs) {
      if (!dependent_[output.value.at()]) reaches_output_[output.value.at()] = true;
    }
    for (std::size_t i = eval_.ops.size(); i-- > 0;) {
      const Operation& op = eval_.ops[i];
      if (!reaches_output_[op.results[0].at()] || is_pooled(op)) continue;
      for (ValueId operand : op.operands) reaches_output_[operand.at()] = true;
    }
  }

  /// By value: whether something is computed from it that depends on the batch, at once or later.
  std::vector<bool> in_batch() const {
    std::vector<bool> found(eval_.values.size());
    for (std::size_t i = eval_.ops.size(); i-- > 0;) {
      const Operation& op = eval_.ops[i];
      const ValueId result = op.results[0];
      if (dependent_[result.at()] || found[result.at()])
        for (const ValueId operand : op.operands) found[operand.at()] = true;
    }
    return found;
  }

  /// What an example draws depends on its number in the split, not on the batch it is in.
  void number_samples() {
    for (const Operation& op : eval_.ops) {
      if (ops::op_of(op).kind != ops::Kind::random || op.operands.size() != 1) continue;
      const std::optional<RealExamples::Carrier> carrier = real_.carrier(op);
      if (!carrier) continue;
      DimList order{carrier->dim};
      for (DimId dim : without(eval_.at(op.results[0]).type.dims, {carrier->dim}))
        order.push_back(dim);
      Attrs attrs = op.attrs;
      attrs.set("order", order);
      attrs.set("numbered", DimList{carrier->dim});
      const ValueId step = to_batch_.copy(op.operands[0]);
      batch_.follow(op);
      const ValueId first = real_.positions_of(batch_.apply("first_example", {}), *carrier);
      to_batch_.replace(op.results[0], batch_.apply("random", {step, first}, attrs));
    }
  }

  void pool(const Operation& op) {
    Operation mapped = op;
    for (ValueId& operand : mapped.operands) operand = to_batch_.copy(operand);
    DimList dims;
    for (ValueId operand : mapped.operands) dims = union_of(dims, batch_.type(operand).dims);
    batch_.follow(op);
    const ValueId real = real_.among(op.operands, dims);
    if (real.valid()) mask(mapped, real);
    const ops::MeanParts parts = ops::mean_parts(batch_, weighted(mapped));
    ValueId numerator = parts.numerator;
    ValueId denominator =
        parts.weighted ? parts.denominator : batch_.constant(parts.count, DType::f64);
    if (!real.valid()) {  // of a whole batch: as much as its examples
      const ValueId weight = batch_.cast(real_.count(), DType::f64);
      numerator = batch_.binary("mul", batch_.cast(numerator, DType::f64), weight);
      denominator = batch_.binary("mul", batch_.cast(denominator, DType::f64), weight);
    }
    const auto [sum, count] = accumulate(numerator, denominator);
    finish_.follow(op);
    const ValueId mean = ops::safe_ratio(finish_, sum, count);
    to_finish_.replace(op.results[0], finish_.cast(mean, eval_.at(op.results[0]).type.dtype));
  }

  /// Weight 0 for what is padding.
  void mask(Operation& op, ValueId real) {
    if (op.operands.size() == 1) {
      op.operands.push_back(real);
      return;
    }
    const ValueId w = op.operands[1];
    const ValueId none = batch_.constant(0, batch_.type(w).dtype);
    op.operands[1] = batch_.where(real, w, none);
  }

  /// mean_parts asks for the result's type: a mean in the batch graph to read it from.
  Operation weighted(const Operation& op) {
    const ValueId result = batch_.apply(op.op, op.operands, op.attrs);
    return batch_.graph().producer(result);
  }

  /// New accumulators for a pair of scalars; their values in the finishing graph.
  std::pair<ValueId, ValueId> accumulate(ValueId numerator, ValueId denominator) {
    // No path of a model ends with a number.
    const std::string pair = std::to_string(pairs_++);
    return {accumulator("eval.sum." + pair, numerator),
            accumulator("eval.count." + pair, denominator)};
  }

  ValueId accumulator(const std::string& path, ValueId amount) {
    Variable variable;
    variable.path = path;
    variable.type = {DType::f64, {}};
    variable.kind = Variable::Kind::accumulator;
    variable.trainable = false;
    out_.accumulators.push_back(variable);
    out_.begin.outputs.push_back({Output::Kind::variable, path, begin_.constant(0, DType::f64)});
    const ValueId before = batch_.read(path, variable.type);
    const ValueId after = batch_.binary("add", before, batch_.cast(amount, DType::f64));
    out_.batch.outputs.push_back({Output::Kind::variable, path, after});
    return finish_.read(path, variable.type);
  }

  void finish_output(const Output& output) {
    if (output.kind == Output::Kind::variable) return;
    if (!dependent_[output.value.at()]) {
      out_.finish.outputs.push_back({output.kind, output.name, to_finish_.copy(output.value)});
      return;
    }
    const ValueId value = batch_.cast(to_batch_.copy(output.value), DType::f64);
    const ValueId weight = batch_.cast(real_.count(), DType::f64);
    const auto [sum, count] = accumulate(batch_.binary("mul", value, weight), weight);
    const ValueId mean = ops::safe_ratio(finish_, sum, count);
    out_.finish.outputs.push_back(
        {output.kind, output.name, finish_.cast(mean, eval_.at(output.value).type.dtype)});
  }

  const Graph eval_;
  Pooled out_;
  ops::Builder begin_, batch_, finish_;
  Copier to_batch_, to_finish_;
  RealExamples real_;
  std::vector<bool> dependent_, reaches_output_;
  int pairs_ = 0;
};

}  // namespace

Pooled pool_means(const Model& model) { return Pooling(model, expand_along_examples(model)).run(); }

}  // namespace mtfc::lowering
