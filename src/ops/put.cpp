// Replacing one entry along a dimension: how generation writes its caches.
#include "ops/put.h"

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

/// Operands y, x, position: x has `entry`, of size 1, where y has `dim`.
Inferred infer_put(const Shapes& s) {
  const TensorType &y = s.operands[0], &x = s.operands[1];
  const DimId dim = s.attrs.dims("dim")[0], entry = s.attrs.dims("entry")[0];
  if (!contains(y.dims, dim)) return fails("the operand lacks `" + s.dims.name(dim) + "`");
  if (s.dims.size(entry) != 1) return fails("the entry has more than one position");
  if (!same_set(x.dims, replaced(y.dims, dim, entry)) || x.dtype != y.dtype)
    return fails("the entry does not fit");
  if (s.operands[2] != TensorType{DType::i32, {}}) return fails("the position must be one int");
  return gives(y);
}

/// The owner of the position puts the entry, which all have.
Factors put_factors(const Operation& op, const Graph& graph) {
  Factors factors;
  const DimId entry = dim_of(op, "entry");
  factors.list.push_back({Role::replicated, {DimId{}, entry, DimId{}}, DimId{}});
  for (DimId dim : graph.at(op.results[0]).type.dims) {
    const bool shared = contains(graph.at(op.operands[1]).type.dims, dim);
    factors.list.push_back({Role::parallel, {dim, shared ? dim : DimId{}, DimId{}}, dim});
  }
  return factors;
}

}  // namespace

ValueId put(Builder& build, ValueId y, ValueId x, ValueId position, DimId dim, DimId entry) {
  return build.apply("put", {y, x, position}, {{"dim", DimList{dim}}, {"entry", DimList{entry}}});
}

std::vector<OpDef> put_rows() {
  return {{.name = "put",
           .summary = "a tensor with one entry along a dimension replaced, in generation",
           .signature = {3, 3, {{"dim", Type::dim}, {"entry", Type::dim}}},
           .infer = infer_put,
           .factors = put_factors,
           .not_differentiable = "it is made by generation alone",
           .local = [](const Operation& op, const Graph&) {
             return Put{dim_of(op, "dim"), dim_of(op, "entry")};
           }}};
}

}  // namespace mtfc::ops
