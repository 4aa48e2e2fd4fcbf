// What runs along whole dimensions: running sums, places of the largest elements, joining.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

/// By name, except that what `whole` lists must be whole, before and after.
Factors factors_but(const Operation& op, const Graph& graph, const DimList& whole) {
  Factors factors = factors_by_name(op, graph);
  for (Factor& factor : factors.list) {
    bool any = factor.result.valid() && contains(whole, factor.result);
    for (DimId dim : factor.operands) any = any || (dim.valid() && contains(whole, dim));
    if (any) factor.role = Role::whole;
  }
  return factors;
}

Inferred infer_cumsum(const Shapes& s) {
  const TensorType& x = s.operands[0];
  if (x.dtype == DType::boolean) return fails("a sum of bool");
  if (!is_subset(s.attrs.dims("dim"), x.dims)) return fails("dimension missing");
  return gives(x);
}

Inferred infer_top_places(const Shapes& s) {
  const TensorType& x = s.operands[0];
  const DimId dim = s.attrs.dims("dim")[0], ranks = s.attrs.dims("ranks")[0];
  if (!contains(x.dims, dim)) return fails("dimension missing");
  if (contains(without(x.dims, {dim}), ranks)) return fails("the ranks' dimension occurs twice");
  const std::int64_t first = s.attrs.integer("first", 0);
  if (first < 0 || first > s.dims.size(dim) - s.dims.size(ranks))
    return fails("more ranks than elements");
  return gives({DType::i32, replaced(x.dims, dim, ranks)});
}

DimId part(const Attrs& attrs, std::size_t i) {
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
  const DimId dim = c.op.attrs.dims("dim")[0];
  Gradients grads;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < c.op.operands.size(); ++i) {
    const DimId own = part(c.op.attrs, i);
    const ValueId cut = own.valid() ? b.slice(c.grad(), dim, begin, own)
                                    : b.window(c.grad(), {{dim, {begin, {}}}}, 0);
    grads.push_back(sum_to(b, cut, c.operand(i)));
    begin += own.valid() ? b.dims().size(own) : 1;
  }
  return grads;
}

}  // namespace

std::vector<OpDef> range_ops() {
  OpDef cumsum = op_row("cumsum", "running sums along a dimension, exclusive or from the end");
  cumsum.infer = infer_cumsum;
  cumsum.factors = [](const Operation& op, const Graph& g) {
    return factors_but(op, g, op.attrs.dims("dim"));
  };
  cumsum.gradient = [](const GradientContext& c) {
    Attrs attrs = c.op.attrs;
    attrs.set("reverse", !attrs.flag("reverse"));
    return Gradients{c.build.apply("cumsum", {c.grad()}, std::move(attrs))};
  };

  OpDef top = op_row("top_places", "the places of the largest elements, in descending order");
  top.infer = infer_top_places;
  top.factors = [](const Operation& op, const Graph& g) {
    return factors_but(op, g, union_of(op.attrs.dims("dim"), op.attrs.dims("ranks")));
  };
  top.not_differentiable = "its result is an int";

  OpDef concat = op_row("concat", "the operands one after the other along a dimension");
  concat.infer = infer_concat;
  concat.factors = [](const Operation& op, const Graph& g) {
    return factors_but(op, g, union_of(op.attrs.dims("parts"), op.attrs.dims("dim")));
  };
  concat.gradient = concat_gradient;
  return {cumsum, top, concat};
}

}  // namespace mtfc::ops
