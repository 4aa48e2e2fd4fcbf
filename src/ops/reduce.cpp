// Reductions over named dimensions: sum, maximum, minimum.
#include "ops/reduce.h"

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Combine combine_of(const Operation& op) {
  const std::string& kind = op.attrs.text("kind");
  return kind == "sum" ? Combine::sum : kind == "max" ? Combine::max : Combine::min;
}

Inferred infer_reduce(const Shapes& s) {
  const TensorType& x = s.operands[0];
  const std::string& kind = s.attrs.text("kind");
  if (kind != "sum" && kind != "max" && kind != "min") return fails("no such reduction");
  const DimList& to = s.attrs.dims("to");
  if (!is_subset(to, x.dims)) return fails("a resulting dimension is not in the operand");
  const bool counts = x.dtype == DType::boolean && kind == "sum";
  return gives({counts ? DType::i32 : x.dtype, to});
}

Factors reduce_factors(const Operation& op, const Graph& graph) {
  Factors factors = factors_by_name(op, graph);
  factors.combine = combine_of(op);
  return factors;
}

/// sum: the gradient again; max and min: shared equally by the elements that attain it.
Gradients reduce_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const ValueId x = c.operand(0);
  if (combine_of(c.op) == Combine::sum) return {sum_to(b, c.grad(), x)};
  const DType dtype = b.type(x).dtype;
  const ValueId attained = b.cast(b.binary("eq", x, c.result()), dtype);
  const ValueId count = b.reduce_to(Combine::sum, attained, b.type(c.result()).dims);
  const ValueId share = b.binary("div", c.grad(), count);
  return {sum_to(b, b.binary("mul", attained, share), x)};
}

}  // namespace

std::optional<Combine> reduction(const Operation& op) {
  return op.op == "reduce" ? std::optional(combine_of(op)) : std::nullopt;
}

std::vector<OpDef> reduce_rows() {
  return {{.name = "reduce",
           .summary = "the sum, maximum or minimum over dimensions (bool: count, any, all)",
           .kind = Kind::combine,
           .signature = {1, 1, {{"kind", Type::text}, {"to", Type::dims}}},
           .infer = infer_reduce,
           .factors = reduce_factors,
           .gradient = reduce_gradient,
           .local = [](const Operation& op, const Graph& graph) {
             return Reduce{combine_of(op),
                           without(operand_dims(op, graph), graph.at(op.results[0]).type.dims)};
           }}};
}

}  // namespace mtfc::ops
