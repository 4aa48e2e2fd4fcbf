// Means over named dimensions, weighted or not.
#include "ops/mean.h"

#include "ops/rules.h"

namespace mtfc::ops {

bool is_mean(const Operation& op) { return op.op == "mean"; }
bool is_whole_mean(const Graph& graph, const Operation& op) {
  return is_mean(op) && graph.at(op.results[0]).type.dims.empty();
}

MeanParts mean_parts(Builder& b, const Operation& op) {
  MeanParts parts;
  const DimList& reduced = op.attrs.dims("reduced");
  // f16 ends at 65504, and counts up to 2048 exactly.
  const DType dtype = wider(b.type(op.results[0]).dtype, DType::f32).value();
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

namespace {

Inferred infer_mean(const Shapes& s) {
  DimList all = s.operands[0].dims;
  if (s.operands.size() == 2) all = union_of(all, s.operands[1].dims);
  if (!is_subset(s.attrs.dims("reduced"), all)) return fails("a reduced dimension is missing");
  const DType dtype = s.operands[0].dtype;
  return gives({is_float(dtype) ? dtype : DType::f32, without(all, s.attrs.dims("reduced"))});
}

std::vector<ValueId> expand_mean(Builder& b, const Operation& op) {
  const MeanParts parts = mean_parts(b, op);
  const DType dtype = b.type(op.results[0]).dtype;
  if (!parts.weighted) {
    const ValueId scale = scalar_like(b, 1.0 / parts.count, parts.numerator);
    return {b.cast(b.binary("mul", parts.numerator, scale), dtype)};
  }
  return {b.cast(safe_ratio(b, parts.numerator, parts.denominator), dtype)};
}

}  // namespace

std::vector<OpDef> mean_rows() {
  return {{.name = "mean",
           .summary = "the mean over dimensions, weighted if there is a second operand",
           .signature = {1, 2, {{"reduced", Type::dims}}},
           .infer = infer_mean,
           .expand = expand_mean}};
}

}  // namespace mtfc::ops
