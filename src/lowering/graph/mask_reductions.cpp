#include "lowering/graph/mask_reductions.h"

#include <algorithm>

#include "lowering/graph/consecutive_examples.h"
#include "lowering/graph/padding.h"
#include "ops/mean.h"
#include "ops/op.h"

namespace mtfc::lowering {
namespace {

bool is_composite(const Operation& op) { return ops::op_of(op).expand && !ops::is_mean(op); }

/// Whether the operation combines examples, or needs all of them at once.
bool works_along_examples(const Graph& eval, const Operation& op, const RealExamples& real) {
  if (is_composite(op) && op.attrs.find("over"))  // its parts combine along it
    for (const DimId dim : op.attrs.dims("over"))
      for (const ValueId operand : op.operands)
        if (contains(real.example_dims(operand), dim)) return true;
  const ops::Factors factors = ops::op_of(op).factors(op, eval);
  for (const ops::Factor& factor : factors.list)
    if (factor.role == ops::Role::reduced || factor.role == ops::Role::replicated)
      for (std::size_t i = 0; i < factor.operands.size(); ++i)
        if (contains(real.example_dims(op.operands[i]), factor.operands[i])) return true;
  return false;
}

class Masking {
 public:
  Masking(const Graph& eval, const std::vector<bool>& in_batch, ops::Builder& batch,
          Copier& to_batch, RealExamples& real)
      : eval_(eval), in_batch_(in_batch), batch_(batch), to_batch_(to_batch), real_(real) {}

  void run() {
    for (const Operation& op : eval_.ops) {
      const bool pooled = ops::is_whole_mean(eval_, op) && !in_batch_[op.results[0].at()];
      if (!pooled && works_along_examples(eval_, op, real_)) mask(op);
    }
  }

 private:
  void mask(const Operation& op) {
    std::vector<ValueId> operands;
    for (const ValueId operand : op.operands) operands.push_back(to_batch_.copy(operand));
    batch_.follow(op);
    if (ops::is_mean(op))
      weigh(op, operands);
    else
      fill(op, operands);
    const std::vector<ValueId> results = batch_.apply_many(op.op, operands, op.attrs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      batch_.set_name(results[i], eval_.at(op.results[i]).name);
      to_batch_.replace(op.results[i], results[i]);
    }
  }

  void fill(const Operation& op, std::vector<ValueId>& operands) {
    const ops::Factors factors = ops::op_of(op).factors(op, eval_);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      DimList dims;
      std::optional<double> in_padding;  // the same for all of them
      for (const ops::Factor& factor : factors.list) {
        const DimId dim = factor.operands[i];
        if (factor.role == ops::Role::indexed || !contains(real_.example_dims(op.operands[i]), dim))
          continue;
        const std::optional<double> value = value_in_padding(op, factors, factor, i);
        if (!value) continue;
        in_padding = value;
        dims.push_back(dim);
      }
      const ValueId real = dims.empty() ? ValueId{} : real_.along({op.operands[i]}, dims);
      if (real.valid()) operands[i] = filled(batch_, operands[i], real, *in_padding);
    }
  }

  /// A mean's second operand are its weights.
  void weigh(const Operation& op, std::vector<ValueId>& operands) {
    const ValueId mask = real_.along(op.operands, op.attrs.dims("reduced"));
    if (!mask.valid()) return;
    if (operands.size() == 1) {
      operands.push_back(mask);
      return;
    }
    const ValueId none = batch_.constant(0, batch_.type(operands[1]).dtype);
    operands[1] = batch_.where(mask, operands[1], none);
  }

  const Graph& eval_;
  const std::vector<bool>& in_batch_;
  ops::Builder& batch_;
  Copier& to_batch_;
  RealExamples& real_;
};

}  // namespace

Graph expand_along_examples(const Model& model) {
  Graph nothing;
  ops::Builder build(nothing, model.dims);
  const RealExamples real(evaluated_examples(model), model.eval, build);
  const std::vector<Operation>& ops = model.eval.ops;
  if (std::none_of(ops.begin(), ops.end(), [&](const Operation& op) {
        return is_composite(op) && works_along_examples(model.eval, op, real);
      }))
    return model.eval;
  return expand_if(model.eval, model.dims, is_composite);
}

void mask_reductions(const Graph& eval, const std::vector<bool>& in_batch, ops::Builder& batch,
                     Copier& to_batch, RealExamples& real) {
  Masking(eval, in_batch, batch, to_batch, real).run();
}

}  // namespace mtfc::lowering
