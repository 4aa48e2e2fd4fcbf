// Running sums along a dimension.
#include "ops/blockwise.h"
#include "ops/builder.h"
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

ValueId cumsum(Builder& build, ValueId x, const RunningSum& sum) {
  return build.apply(
      "cumsum", {x},
      {{"dim", DimList{sum.dim}}, {"exclusive", sum.exclusive}, {"reverse", sum.reverse}});
}

RunningSum sum_of(const Operation& op) {
  return {dim_of(op, "dim"), op.attrs.flag("exclusive"), op.attrs.flag("reverse")};
}

Inferred infer_cumsum(const Shapes& s) {
  const TensorType& x = s.operands[0];
  if (x.dtype == DType::boolean) return fails("a sum of bool");
  if (!is_subset(s.attrs.dims("dim"), x.dims)) return fails("dimension missing");
  return gives(x);
}

Gradients cumsum_gradient(const GradientContext& c) {
  const RunningSum sum = sum_of(c.op);
  return {cumsum(c.build, c.grad(), {sum.dim, sum.exclusive, !sum.reverse})};
}

/// Sums within each block, and on top of them those of the blocks before (after) it.
ValueId cumsum_of_blocks(Blockwise& b, const Operation& op, ValueId x) {
  const RunningSum sum = sum_of(op);
  if (!b.is_split(sum.dim)) return {};
  const Blocks& blocks = b.blocks(sum.dim);
  const ValueId v = b.apart(x, sum.dim);
  const ValueId inside = cumsum(b.build, v, {blocks.within, sum.exclusive, sum.reverse});
  const ValueId totals = b.build.reduce(Combine::sum, v, {blocks.within});
  const ValueId others = cumsum(b.build, totals, {blocks.number, true, sum.reverse});
  return b.together(b.build.binary("add", inside, others), sum.dim);
}

/// cumsum(x, exclusive=false, reverse=false over d)
CallForm cumsum_form() {
  CallForm form;
  form.takes = CallForm::Takes::anything;
  form.arguments = {{"exclusive", false}, {"reverse", false}};
  form.over = CallForm::List::required;
  form.over_attr = "dim";
  form.single = true;
  form.sums = true;
  return form;
}

}  // namespace

std::vector<OpDef> cumsum_rows() {
  return {
      {.name = "cumsum",
       .summary = "running sums along a dimension, exclusive or from the end",
       .signature = {1,
                     1,
                     {{"dim", Type::dim},
                      {"exclusive", Type::flag, true},
                      {"reverse", Type::flag, true}}},
       .infer = infer_cumsum,
       .factors = [](const Operation& op,
                     const Graph& graph) { return factors_but(op, graph, op.attrs.dims("dim")); },
       .gradient = cumsum_gradient,
       .local =
           [](const Operation& op, const Graph&) {
             const RunningSum sum = sum_of(op);
             return PrefixSum{sum.dim, sum.exclusive, sum.reverse};
           },
       .blockwise = cumsum_of_blocks,
       .padding =
           [](const Operation& op) {
             return Padding{{dim_of(op, "dim")}, 0};
           },
       .running_sum = sum_of,
       .call = cumsum_form()}};
}

}  // namespace mtfc::ops
