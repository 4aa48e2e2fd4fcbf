// Static ranges of a dimension: slice, and pad, its adjoint. Both have the same attributes.
#include "ops/slice.h"

#include "ops/rules.h"

namespace mtfc::ops {

namespace {

DimRange range_of(const Operation& op) {
  return {dim_of(op, "dim"), dim_of(op, "fresh"), op.attrs.integer("begin")};
}

Inferred infer_slice_or_pad(const Shapes& s, const char* from_attr, const char* to_attr) {
  const TensorType& x = s.operands[0];
  const DimId from = s.attrs.dims(from_attr)[0], to = s.attrs.dims(to_attr)[0];
  const DimId dim = s.attrs.dims("dim")[0], fresh = s.attrs.dims("fresh")[0];
  if (!contains(x.dims, from)) return fails("the operand lacks `" + s.dims.name(from) + "`");
  if (contains(x.dims, to)) return fails("`" + s.dims.name(to) + "` would occur twice");
  const std::int64_t begin = s.attrs.integer("begin");
  if (begin < 0 || begin > s.dims.size(dim) - s.dims.size(fresh)) return fails("out of range");
  return gives({x.dtype, replaced(x.dims, from, to)});
}

/// Both ends must be whole on the processor that cuts.
Factors slice_factors(const Operation& op, const Graph& graph) {
  Factors factors = factors_by_name(op, graph);
  for (Factor& f : factors.list) {
    if (f.role != Role::parallel) f.role = Role::replicated;
  }
  return factors;
}

}  // namespace

ValueId pad(Builder& build, ValueId x, DimId from, std::int64_t begin, DimId to) {
  return build.apply("pad", {x},
                     {{"dim", DimList{to}}, {"fresh", DimList{from}}, {"begin", begin}});
}

std::optional<DimRange> sliced_range(const Operation& op) {
  return op.op == "slice" ? std::optional(range_of(op)) : std::nullopt;
}

std::vector<OpDef> slice_rows() {
  return {
      {.name = "slice",
       .summary = "a static range of a dimension, under a new name",
       .kind = Kind::copy,
       .signature = {1, 1, {{"dim", Type::dim}, {"fresh", Type::dim}, {"begin", Type::integer}}},
       .infer = [](const Shapes& s) { return infer_slice_or_pad(s, "dim", "fresh"); },
       .factors = slice_factors,
       .gradient =
           [](const GradientContext& c) {
             return Gradients{c.build.apply("pad", {c.grad()}, c.op.attrs)};
           },
       .local =
           [](const Operation& op, const Graph&) {
             const DimRange r = range_of(op);
             return Slice{r.dim, r.fresh, r.begin};
           },
       .moves = true},
      {.name = "pad",
       .summary = "zeros with the operand at a static offset: the adjoint of slice",
       .signature = {1, 1, {{"dim", Type::dim}, {"fresh", Type::dim}, {"begin", Type::integer}}},
       .infer = [](const Shapes& s) { return infer_slice_or_pad(s, "fresh", "dim"); },
       .factors = slice_factors,
       .gradient =
           [](const GradientContext& c) {
             return Gradients{c.build.apply("slice", {c.grad()}, c.op.attrs)};
           },
       .local =
           [](const Operation& op, const Graph&) {
             const DimRange r = range_of(op);
             return Pad{r.fresh, r.dim, r.begin};
           },
       .moves = true},
  };
}

}  // namespace mtfc::ops
