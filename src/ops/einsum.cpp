// einsum: products summed over named dimensions.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Inferred infer_einsum(const Shapes& s) {
  if (s.operands.empty()) return fails("einsum needs an operand");
  DimList all;
  for (const TensorType& type : s.operands) {
    if (type.dtype != s.operands[0].dtype) return fails("operands of different types");
    if (type.dtype == DType::boolean) return fails("a product of bool");
    all = union_of(all, type.dims);
  }
  const DimList& to = s.attrs.dims("to");
  if (!is_subset(to, all)) return fails("a resulting dimension is in no operand");
  return gives({s.operands[0].dtype, to});
}

Inferred infer_contract(const Shapes& s) {
  const DimList &x = s.operands[0].dims, &y = s.operands[1].dims;
  if (!is_float(s.operands[0].dtype)) return fails("the operands must be floats");
  for (DimId dim : without(union_of(x, y), s.attrs.dims("to")))
    if (!contains(x, dim) || !contains(y, dim)) return fails("a sum over one operand's dimension");
  return infer_einsum(s);
}

/// The gradient of an einsum is an einsum of the gradient with the other operands.
Gradients einsum_gradient(const GradientContext& c) {
  Gradients grads;
  for (std::size_t i = 0; i < c.op.operands.size(); ++i) {
    std::vector<ValueId> factors{c.grad()};
    DimList have = c.build.type(c.grad()).dims;
    for (std::size_t j = 0; j < c.op.operands.size(); ++j) {
      if (j == i) continue;
      factors.push_back(c.operand(j));
      have = union_of(have, c.build.type(c.operand(j)).dims);
    }
    DimList to;
    for (DimId dim : c.build.type(c.operand(i)).dims) {
      if (contains(have, dim)) to.push_back(dim);
    }
    grads.push_back(sum_to(c.build, c.build.einsum_to(std::move(factors), to), c.operand(i)));
  }
  return grads;
}

/// Sums the dimensions of `x` that neither `other` nor `to` have.
ValueId sum_private(Builder& b, ValueId x, const DimList& other, const DimList& to) {
  DimList keep;
  for (DimId dim : b.type(x).dims) {
    if (contains(other, dim) || contains(to, dim)) keep.push_back(dim);
  }
  return b.reduce_to(Combine::sum, x, keep);
}

/// True if the product is a matrix product: something is summed, and some dimension of the result
/// is in one operand only.
bool is_matrix_product(const Builder& b, ValueId x, ValueId y, const DimList& to) {
  const DimList &dx = b.type(x).dims, &dy = b.type(y).dims;
  bool summed = false, single = false;
  for (DimId dim : union_of(dx, dy)) {
    if (!contains(to, dim))
      summed = true;
    else if (contains(dx, dim) != contains(dy, dim))
      single = true;
  }
  return summed && single && is_float(b.type(x).dtype);
}

ValueId binary_product(Builder& b, ValueId x, ValueId y, const DimList& to) {
  x = sum_private(b, x, b.type(y).dims, to);
  y = sum_private(b, y, b.type(x).dims, to);
  if (is_matrix_product(b, x, y, to)) return b.apply("contract", {x, y}, {{"to", to}});
  return b.reduce_to(Combine::sum, b.binary("mul", x, y), to);
}

/// From left to right, each dimension summed as soon as no later operand needs it.
std::vector<ValueId> expand_einsum(Builder& b, const Operation& op) {
  const DimList& to = op.attrs.dims("to");
  ValueId sum = op.operands[0];
  for (std::size_t i = 1; i < op.operands.size(); ++i) {
    DimList keep = to;
    for (std::size_t j = i + 1; j < op.operands.size(); ++j) {
      keep = union_of(keep, b.type(op.operands[j]).dims);
    }
    DimList now;
    const DimList all = union_of(b.type(sum).dims, b.type(op.operands[i]).dims);
    if (i + 1 == op.operands.size())
      now = to;
    else
      for (DimId dim : all)
        if (contains(keep, dim)) now.push_back(dim);
    sum = binary_product(b, sum, op.operands[i], now);
  }
  return {b.reduce_to(Combine::sum, sum, to)};
}

}  // namespace

std::vector<OpDef> einsum_rows() {
  const OpDef einsum{
      .name = "einsum",
      .summary = "the product of all operands, summed over the dimensions that do not remain",
      .kind = Kind::combine,
      .signature = {1, -1, {{"to", Type::dims}}},
      .infer = infer_einsum,
      .gradient = einsum_gradient,
      .expand = expand_einsum};

  OpDef contract = einsum;
  contract.name = "contract";
  contract.summary = "a binary einsum that is a matrix product";
  contract.signature.least = contract.signature.most = 2;
  contract.infer = infer_contract;
  contract.expand = nullptr;
  contract.local = [](const Operation& op, const Graph& graph) {
    return Contract{without(operand_dims(op, graph), graph.at(op.results[0]).type.dims)};
  };
  return {einsum, contract};
}

}  // namespace mtfc::ops
