// The softmax family: composites with gradients of their own.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Inferred infer_same(const Shapes& s) {
  if (!is_float(s.operands[0].dtype)) return fails("the operand must be a float");
  if (!is_subset(s.attrs.dims("over"), s.operands[0].dims)) return fails("dimension missing");
  return gives(s.operands[0]);
}

Inferred infer_reduced(const Shapes& s) {
  Inferred same = infer_same(s);
  if (!same.error.empty()) return same;
  same.types[0].dims = without(same.types[0].dims, s.attrs.dims("over"));
  same.types[0].dtype = wide(same.types[0].dtype);
  return same;
}

std::vector<ValueId> expand_softmax(Builder& b, const Operation& op) {
  const DimList& over = op.attrs.dims("over");
  const ValueId x = op.operands[0];
  const ValueId e = b.unary("exp", below_max(b, x, over).below);
  const ValueId total = wide_sum(b, e, over);
  return {b.cast(b.binary("div", wide(b, e), total), b.type(x).dtype)};
}

Gradients softmax_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const ValueId gy = b.binary("mul", c.grad(), c.result());
  const ValueId mean = wide_sum(b, gy, c.op.attrs.dims("over"));
  const ValueId centred = b.binary("sub", wide(b, c.grad()), mean);
  return {b.binary("mul", c.result(), b.cast(centred, b.type(c.result()).dtype))};
}

std::vector<ValueId> expand_log_softmax(Builder& b, const Operation& op) {
  const ValueId x = op.operands[0];
  const LogNormaliser normaliser = log_normaliser(b, x, op.attrs.dims("over"));
  const ValueId log_p = b.binary("sub", wide(b, normaliser.below), normaliser.rest);
  return {b.cast(log_p, b.type(x).dtype)};
}

Gradients log_softmax_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const ValueId total = wide_sum(b, c.grad(), c.op.attrs.dims("over"));
  const ValueId p = b.unary("exp", c.result());
  const ValueId share = b.binary("mul", wide(b, p), total);
  const ValueId dx = b.binary("sub", wide(b, c.grad()), share);
  return {b.cast(dx, b.type(c.operand(0)).dtype)};
}

std::vector<ValueId> expand_logsumexp(Builder& b, const Operation& op) {
  return {whole(b, log_normaliser(b, op.operands[0], op.attrs.dims("over")))};
}

Gradients logsumexp_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const ValueId x = c.operand(0);
  const LogNormaliser normaliser = log_normaliser(b, x, c.op.attrs.dims("over"));
  const ValueId p = softmax_of(b, to_max(b, x, normaliser), normaliser);
  return {b.cast(b.binary("mul", c.grad(), p), b.type(x).dtype)};
}

}  // namespace

std::vector<OpDef> softmax_rows() {
  return {{.name = "softmax",
           .summary = "e^x / sum of e^x over dimensions",
           .signature = {1, 1, {{"over", Type::dims}}},
           .infer = infer_same,
           .gradient = softmax_gradient,
           .expand = expand_softmax},
          {.name = "log_softmax",
           .summary = "the logarithm of softmax",
           .signature = {1, 1, {{"over", Type::dims}}},
           .infer = infer_same,
           .gradient = log_softmax_gradient,
           .expand = expand_log_softmax},
          {.name = "logsumexp",
           .summary = "log of the sum of e^x over dimensions",
           .signature = {1, 1, {{"over", Type::dims}}},
           .infer = infer_reduced,
           .gradient = logsumexp_gradient,
           .expand = expand_logsumexp}};
}

}  // namespace mtfc::ops
