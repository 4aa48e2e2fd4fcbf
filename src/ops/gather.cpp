// Indexing by tensors, and its adjoint.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Inferred infer_gather(const Shapes& s) {
  const DimList& dims = s.attrs.dims("dims");
  if (s.operands.size() != dims.size() + 1) return fails("one index for each dimension");
  const TensorType& x = s.operands[0];
  DimList index_dims;
  for (std::size_t j = 0; j < dims.size(); ++j) {
    if (position(dims, dims[j]) != static_cast<int>(j))
      return fails("`" + s.dims.name(dims[j]) + "` is indexed twice");
    if (!contains(x.dims, dims[j]))
      return fails("the operand lacks `" + s.dims.name(dims[j]) + "`");
    if (s.operands[j + 1].dtype != DType::i32) return fails("an index must be int");
    for (DimId dim : s.operands[j + 1].dims) {
      if (!contains(index_dims, dim)) index_dims.push_back(dim);
    }
  }
  DimList result;
  auto add = [&](DimId dim) {
    if (!contains(result, dim)) result.push_back(dim);
  };
  for (DimId dim : x.dims) {
    if (!contains(dims, dim)) {
      if (!contains(index_dims, dim)) add(dim);
      continue;
    }
    for (DimId fresh : index_dims) add(fresh);
  }
  return gives({x.dtype, result});
}

/// The shape before a gather, from the shape after it: attribute `to` says it.
Inferred infer_scatter(const Shapes& s) {
  const DType dtype = s.operands[0].dtype;
  if (dtype == DType::boolean) return fails("a sum of bool");
  std::vector<TensorType> before = s.operands;
  before[0] = {dtype, s.attrs.dims("to")};
  const Inferred after = infer_gather({s.dims, before, s.attrs});
  if (!after.error.empty()) return after;
  if (!same_set(after.types[0].dims, s.operands[0].dims)) return fails("the operand does not fit");
  return gives(before[0]);
}

/// A dimension that is indexed belongs to x (the result, for scatter) alone; if an index tensor has
/// a dimension of the same name, that is another factor, and only one of the two may be split.
Factors indexed_factors(const Operation& op, const Graph& graph, bool scatter) {
  const DimList& indexed = op.attrs.dims("dims");
  Factors factors;
  if (graph.at(op.results[0]).type.dtype == DType::boolean) factors.combine = Combine::max;
  for (DimId dim : indexed) {
    Factor f{Role::indexed, std::vector<DimId>(op.operands.size()), DimId{}};
    (scatter ? f.result : f.operands[0]) = dim;
    factors.list.push_back(f);
  }
  DimList all;
  for (ValueId id : op.operands) all = union_of(all, graph.at(id).type.dims);
  all = union_of(all, graph.at(op.results[0]).type.dims);
  for (DimId dim : all) {
    Factor f{Role::parallel, {}, DimId{}};
    bool any = false;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const bool has = contains(graph.at(op.operands[i]).type.dims, dim) &&
                       (scatter || i > 0 || !contains(indexed, dim));
      f.operands.push_back(has ? dim : DimId{});
      any = any || has;
    }
    if (contains(graph.at(op.results[0]).type.dims, dim) && !(scatter && contains(indexed, dim))) {
      f.result = dim;
    }
    if (!any) continue;
    if (!f.result.valid()) f.role = Role::reduced;
    factors.list.push_back(f);
  }
  return factors;
}

/// A table read with a value for what is outside expects such indices.
std::vector<IndexOperand> gather_indices(const Operation& op) {
  std::vector<IndexOperand> found;
  const DimList& dims = op.attrs.dims("dims");
  if (op.attrs.number("fill", 0) == 0)
    for (std::size_t j = 0; j < dims.size(); ++j) found.push_back({j + 1, dims[j]});
  return found;
}

Gradients gather_gradient(const GradientContext& c) {
  std::vector<ValueId> operands{c.grad()};
  operands.insert(operands.end(), c.op.operands.begin() + 1, c.op.operands.end());
  Gradients grads(c.op.operands.size());
  grads[0] =
      c.build.apply("scatter_add", std::move(operands),
                    {{"dims", c.op.attrs.dims("dims")}, {"to", c.build.type(c.operand(0)).dims}});
  return grads;
}

Gradients scatter_gradient(const GradientContext& c) {
  std::vector<ValueId> indices(c.op.operands.begin() + 1, c.op.operands.end());
  Gradients grads(c.op.operands.size());
  const ValueId back = c.build.gather(c.grad(), c.op.attrs.dims("dims"), indices, 0);
  grads[0] = sum_to(c.build, back, c.operand(0));
  return grads;
}

}  // namespace

std::vector<OpDef> gather_rows() {
  return {
      {.name = "gather",
       .summary = "x indexed by int tensors; out of range gives a fill value",
       .kind = Kind::lookup,
       .signature = {1, -1, {{"dims", Type::dims}, {"fill", Type::number, true}}},
       .infer = infer_gather,
       .factors = [](const Operation& op,
                     const Graph& graph) { return indexed_factors(op, graph, false); },
       .gradient = gather_gradient,
       .local =
           [](const Operation& op, const Graph&) {
             return Gather{op.attrs.dims("dims"), op.attrs.number("fill", 0)};
           },
       .indices = gather_indices},
      {.name = "scatter_add",
       .summary = "sums of the operand at the indices that int tensors hold: the adjoint of gather",
       .kind = Kind::scatter,
       .signature = {1, -1, {{"dims", Type::dims}, {"to", Type::dims}}},
       .infer = infer_scatter,
       .factors = [](const Operation& op,
                     const Graph& graph) { return indexed_factors(op, graph, true); },
       .gradient = scatter_gradient,
       .local =
           [](const Operation& op, const Graph& graph) {
             // An indexed dimension that the operand has too came from an index tensor.
             const DimList &to = graph.at(op.results[0]).type.dims, &dims = op.attrs.dims("dims");
             DimList reduced;
             for (DimId d : graph.at(op.operands[0]).type.dims) {
               if (!contains(to, d) || contains(dims, d)) reduced.push_back(d);
             }
             return ScatterAdd{dims, reduced};
           }},
  };
}

}  // namespace mtfc::ops
