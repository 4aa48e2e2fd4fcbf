// Reductions over named dimensions: sum, max, min; mean and argmax as composites.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Combine kind_of(const Operation& op) {
  const std::string& kind = op.attrs.text("kind");
  return kind == "sum" ? Combine::sum : kind == "max" ? Combine::max : Combine::min;
}

Inferred infer_reduce(const Shapes& s) {
  const TensorType& x = s.operands[0];
  const DimList& to = s.attrs.dims("to");
  if (!is_subset(to, x.dims)) return fails("a resulting dimension is not in the operand");
  const bool counts = x.dtype == DType::boolean && s.attrs.text("kind") == "sum";
  return gives({counts ? DType::i32 : x.dtype, to});
}

Factors reduce_factors(const Operation& op, const Graph& graph) {
  Factors factors = factors_by_name(op, graph);
  factors.combine = kind_of(op);
  return factors;
}

/// sum: the gradient again; max and min: shared equally by the elements that attain it.
Gradients reduce_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const ValueId x = c.operand(0);
  if (kind_of(c.op) == Combine::sum) return {sum_to(b, c.grad(), x)};
  const DType dtype = b.type(x).dtype;
  const ValueId attained = b.cast(b.binary("eq", x, c.result()), dtype);
  const ValueId count = b.reduce_to(Combine::sum, attained, b.type(c.result()).dims);
  const ValueId share = b.binary("div", c.grad(), count);
  return {sum_to(b, b.binary("mul", attained, share), x)};
}

Inferred infer_mean(const Shapes& s) {
  DimList all = s.operands[0].dims;
  if (s.operands.size() == 2) all = union_of(all, s.operands[1].dims);
  if (!is_subset(s.attrs.dims("reduced"), all)) return fails("a reduced dimension is missing");
  const DType dtype = s.operands[0].dtype;
  return gives({is_float(dtype) ? dtype : DType::f32, without(all, s.attrs.dims("reduced"))});
}

std::vector<ValueId> expand_mean(Builder& b, const Operation& op) {
  MeanParts parts = mean_parts(b, op);
  if (!parts.weighted) {
    const ValueId scale = scalar_like(b, 1.0 / parts.count, parts.numerator);
    return {b.binary("mul", parts.numerator, scale)};
  }
  return {safe_ratio(b, parts.numerator, parts.denominator)};
}

Inferred infer_argmax(const Shapes& s) {
  if (s.attrs.dims("reduced").size() != 1) return fails("argmax takes one dimension");
  if (!is_subset(s.attrs.dims("reduced"), s.operands[0].dims)) return fails("dimension missing");
  return gives({DType::i32, without(s.operands[0].dims, s.attrs.dims("reduced"))});
}

/// The first position that attains the maximum; the last position if none does (NaN).
std::vector<ValueId> expand_argmax(Builder& b, const Operation& op) {
  const ValueId x = op.operands[0];
  const DimId dim = op.attrs.dims("reduced")[0];
  const ValueId largest = b.reduce(Combine::max, x, {dim});
  const ValueId last = b.constant(static_cast<double>(b.dims().size(dim) - 1), DType::i32);
  const ValueId where = b.where(b.binary("eq", x, largest), b.index(dim), last);
  return {b.reduce_to(Combine::min, where, b.type(op.results[0]).dims)};
}

}  // namespace

MeanParts mean_parts(Builder& b, const Operation& op) {
  MeanParts parts;
  const DimList& reduced = op.attrs.dims("reduced");
  const DType dtype = b.type(op.results[0]).dtype;
  ValueId x = b.cast(op.operands[0], dtype);
  parts.count = static_cast<double>(elements(b.dims(), reduced));
  if (op.operands.size() == 1) {
    parts.numerator = b.reduce_to(Combine::sum, x, b.type(op.results[0]).dims);
    return parts;
  }
  // By selection: what has weight 0 may be NaN.
  parts.weighted = true;
  const ValueId w = op.operands[1];
  const ValueId zero = b.constant(0, dtype);
  const bool boolean = b.type(w).dtype == DType::boolean;
  const ValueId weight = b.cast(w, dtype);
  const ValueId counts = boolean ? w : b.binary("ne", weight, zero);
  const ValueId product = boolean ? x : b.binary("mul", x, weight);
  const ValueId chosen = b.where(counts, product, zero);
  parts.numerator = b.reduce_to(Combine::sum, chosen, b.type(op.results[0]).dims);

  DimList kept;
  for (DimId dim : b.type(op.results[0]).dims) {
    if (contains(b.type(w).dims, dim)) kept.push_back(dim);
  }
  const double repeats = static_cast<double>(elements(b.dims(), without(reduced, b.type(w).dims)));
  const ValueId total = b.reduce_to(Combine::sum, weight, kept);
  parts.denominator = b.binary("mul", total, b.constant(repeats, dtype));
  return parts;
}

ValueId safe_ratio(Builder& b, ValueId numerator, ValueId denominator) {
  const ValueId zero = scalar_like(b, 0, numerator), one = scalar_like(b, 1, numerator);
  const ValueId none = b.binary("eq", denominator, zero);
  return b.where(none, zero, b.binary("div", numerator, b.where(none, one, denominator)));
}

std::vector<OpDef> reduction_ops() {
  OpDef reduce =
      op_row("reduce", "the sum, maximum or minimum over dimensions (bool: count, any, all)");
  reduce.infer = infer_reduce;
  reduce.factors = reduce_factors;
  reduce.gradient = reduce_gradient;

  OpDef mean = op_row("mean", "the mean over dimensions, weighted if there is a second operand");
  mean.infer = infer_mean;
  mean.expand = expand_mean;

  OpDef argmax = op_row("argmax", "the first position of the maximum");
  argmax.infer = infer_argmax;
  argmax.not_differentiable = "its result is an int";
  argmax.expand = expand_argmax;
  return {reduce, mean, argmax};
}

}  // namespace mtfc::ops
