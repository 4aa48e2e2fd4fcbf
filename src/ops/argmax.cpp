// The first index of the maximum.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Inferred infer_argmax(const Shapes& s) {
  if (s.operands[0].dtype == DType::boolean) return fails("a maximum of bool");
  if (!is_subset(s.attrs.dims("reduced"), s.operands[0].dims)) return fails("dimension missing");
  return gives({DType::i32, without(s.operands[0].dims, s.attrs.dims("reduced"))});
}

/// The first index that attains the maximum; the last one if none does (NaN).
std::vector<ValueId> expand_argmax(Builder& b, const Operation& op) {
  const ValueId x = op.operands[0];
  const DimId dim = op.attrs.dims("reduced")[0];
  const ValueId largest = b.reduce(Combine::max, x, {dim});
  const ValueId last = b.constant(static_cast<double>(b.dims().size(dim) - 1), DType::i32);
  const ValueId index = b.index(dim);
  const ValueId where = b.where(b.binary("eq", x, largest), index, last);
  return {b.reduce_to(Combine::min, where, b.type(op.results[0]).dims)};
}

}  // namespace

std::vector<OpDef> argmax_rows() {
  return {{.name = "argmax",
           .summary = "the first index of the maximum",
           .signature = {1, 1, {{"reduced", Type::dim}}},
           .infer = infer_argmax,
           .not_differentiable = "its result is an int",
           .expand = expand_argmax}};
}

}  // namespace mtfc::ops
