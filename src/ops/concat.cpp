// Joining tensors along a dimension.
#include "ops/concat.h"

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

/// What operand i has instead of the joint dimension; invalid: it is one element.
DimId part_of(const Attrs& attrs, std::size_t i) {
  const DimList& parts = attrs.dims("parts");
  return parts.empty() ? DimId{} : parts[i];
}

Inferred infer_concat(const Shapes& s) {
  const DimId dim = s.attrs.dims("dim")[0];
  const DimList& parts = s.attrs.dims("parts");
  if (!parts.empty() && parts.size() != s.operands.size()) return fails("one part per operand");
  DimList rest;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    const TensorType& x = s.operands[i];
    if (x.dtype != s.operands[0].dtype) return fails("operands of different types");
    if (!parts.empty() && !contains(x.dims, parts[i])) return fails("dimension missing");
    const DimList other = parts.empty() ? x.dims : without(x.dims, {parts[i]});
    if (i == 0) rest = other;
    if (!same_set(rest, other)) return fails("operands with different dimensions");
    size += parts.empty() ? 1 : s.dims.size(parts[i]);
  }
  if (contains(rest, dim)) return fails("the joint dimension occurs twice");
  if (size != s.dims.size(dim)) return fails("the sizes do not add up");
  DimList result = s.operands[0].dims;
  if (parts.empty())
    result.insert(result.begin(), dim);
  else
    result = replaced(result, parts[0], dim);
  return gives({s.operands[0].dtype, result});
}

Gradients concat_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const DimId dim = dim_of(c.op, "dim");
  Gradients grads;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < c.op.operands.size(); ++i) {
    const DimId own = part_of(c.op.attrs, i);
    const ValueId cut = own.valid() ? b.slice(c.grad(), dim, begin, own)
                                    : b.window(c.grad(), {{dim, {begin, {}}}}, 0);
    grads.push_back(sum_to(b, cut, c.operand(i)));
    begin += own.valid() ? b.dims().size(own) : 1;
  }
  return grads;
}

}  // namespace

ValueId concat(Builder& build, std::vector<ValueId> operands, DimList parts, DimId dim) {
  return build.apply("concat", std::move(operands),
                     {{"parts", std::move(parts)}, {"dim", DimList{dim}}});
}

std::vector<OpDef> concat_rows() {
  return {{.name = "concat",
           .summary = "the operands one after the other along a dimension",
           .infer = infer_concat,
           .factors =
               [](const Operation& op, const Graph& graph) {
                 return factors_but(op, graph,
                                    union_of(op.attrs.dims("parts"), op.attrs.dims("dim")));
               },
           .gradient = concat_gradient,
           .local =
               [](const Operation& op, const Graph&) {
                 return Concat{op.attrs.dims("parts"), dim_of(op, "dim")};
               }}};
}

}  // namespace mtfc::ops
