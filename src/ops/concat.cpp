// Joining tensors along a dimension.
#include "ops/concat.h"

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

/// What operand i has instead of the joint dimension; invalid: it is one element.
DimId own_dim(const Attrs& attrs, std::size_t i) {
  const DimList& operand_dims = attrs.dims("operand_dims");
  return operand_dims.empty() ? DimId{} : operand_dims[i];
}

Inferred infer_concat(const Shapes& s) {
  const DimId dim = s.attrs.dims("dim")[0];
  const DimList& operand_dims = s.attrs.dims("operand_dims");
  if (!operand_dims.empty() && operand_dims.size() != s.operands.size())
    return fails("one dimension for each operand");
  DimList rest;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    const TensorType& x = s.operands[i];
    if (x.dtype != s.operands[0].dtype) return fails("operands of different types");
    if (!operand_dims.empty() && !contains(x.dims, operand_dims[i]))
      return fails("dimension missing");
    const DimList other = operand_dims.empty() ? x.dims : without(x.dims, {operand_dims[i]});
    if (i == 0) rest = other;
    if (!same_set(rest, other)) return fails("operands with different dimensions");
    size += operand_dims.empty() ? 1 : s.dims.size(operand_dims[i]);
  }
  if (contains(rest, dim)) return fails("the joint dimension occurs twice");
  if (size != s.dims.size(dim)) return fails("the sizes do not add up");
  DimList result = s.operands[0].dims;
  if (operand_dims.empty())
    result.insert(result.begin(), dim);
  else
    result = replaced(result, operand_dims[0], dim);
  return gives({s.operands[0].dtype, result});
}

Gradients concat_gradient(const GradientContext& c) {
  Builder& b = c.build;
  const DimId dim = dim_of(c.op, "dim");
  Gradients grads;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < c.op.operands.size(); ++i) {
    const DimId own = own_dim(c.op.attrs, i);
    const ValueId cut = own.valid() ? b.slice(c.grad(), dim, begin, own)
                                    : b.window(c.grad(), {{dim, {begin, {}}}}, 0);
    grads.push_back(sum_to(b, cut, c.operand(i)));
    begin += own.valid() ? b.dims().size(own) : 1;
  }
  return grads;
}

}  // namespace

ValueId concat(Builder& build, std::vector<ValueId> operands, DimList operand_dims, DimId dim) {
  return build.apply("concat", std::move(operands),
                     {{"operand_dims", std::move(operand_dims)}, {"dim", DimList{dim}}});
}

std::vector<OpDef> concat_rows() {
  return {{.name = "concat",
           .summary = "the operands one after the other along a dimension",
           .signature = {1, -1, {{"operand_dims", Type::dims}, {"dim", Type::dim}}},
           .infer = infer_concat,
           .factors =
               [](const Operation& op, const Graph& graph) {
                 return factors_but(op, graph,
                                    union_of(op.attrs.dims("operand_dims"), op.attrs.dims("dim")));
               },
           .gradient = concat_gradient,
           .local =
               [](const Operation& op, const Graph&) {
                 return Concat{op.attrs.dims("operand_dims"), dim_of(op, "dim")};
               },
           .moves = true}};
}

}  // namespace mtfc::ops
