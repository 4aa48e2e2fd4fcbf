// Views and what moves data: rename, split, merge, slice, pad, broadcast, stop_gradient.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

/// The result's dimensions: each group stands where the first of its dimensions stood.
Inferred infer_view(const Shapes& s) {
  const TensorType& x = s.operands[0];
  DimList taken;
  for (const DimGroup& g : s.attrs.groups("groups")) {
    if (g.from.empty() || g.to.empty()) return fails("an empty group");
    if (g.from.size() > 1 && g.to.size() > 1) return fails("a group must rename, split or merge");
    if (elements(s.dims, g.from) != elements(s.dims, g.to)) return fails("sizes differ");
    for (DimId dim : g.from) {
      if (!contains(x.dims, dim)) return fails("the operand lacks `" + s.dims.name(dim) + "`");
      if (contains(taken, dim)) return fails("`" + s.dims.name(dim) + "` is viewed twice");
      taken.push_back(dim);
    }
  }
  DimList result;
  auto add = [&](DimId dim) {
    if (contains(result, dim)) return false;
    result.push_back(dim);
    return true;
  };
  std::vector<bool> done(s.attrs.groups("groups").size());
  for (DimId dim : x.dims) {
    if (!contains(taken, dim)) {
      if (!add(dim)) return fails("`" + s.dims.name(dim) + "` would occur twice");
      continue;
    }
    for (std::size_t i = 0; i < done.size(); ++i) {
      const DimGroup& g = s.attrs.groups("groups")[i];
      if (!contains(g.from, dim) || done[i]) continue;
      done[i] = true;
      for (DimId fresh : g.to) {
        if (!add(fresh)) return fails("`" + s.dims.name(fresh) + "` would occur twice");
      }
    }
  }
  return gives({x.dtype, result});
}

/// One factor a group: its major dimensions on both sides; the rest are whole.
Factors view_factors(const Operation& op, const Graph& graph) {
  Factors factors;
  DimList grouped;
  for (const DimGroup& g : op.attrs.groups("groups")) {
    factors.list.push_back({Role::regrouped, {g.from[0]}, g.to[0]});
    for (std::size_t i = 1; i < g.from.size(); ++i)
      factors.list.push_back({Role::regrouped, {g.from[i]}, DimId{}});
    for (std::size_t i = 1; i < g.to.size(); ++i)
      factors.list.push_back({Role::regrouped, {DimId{}}, g.to[i]});
    grouped.insert(grouped.end(), g.from.begin(), g.from.end());
  }
  for (DimId dim : graph.at(op.operands[0]).type.dims) {
    if (!contains(grouped, dim)) factors.list.push_back({Role::parallel, {dim}, dim});
  }
  return factors;
}

Gradients view_gradient(const GradientContext& c) {
  std::vector<DimGroup> inverse;
  for (const DimGroup& g : c.op.attrs.groups("groups")) inverse.push_back({g.to, g.from});
  return {sum_to(c.build, c.build.view(c.grad(), inverse), c.operand(0))};
}

Inferred infer_slice_or_pad(const Shapes& s, const char* from_attr, const char* to_attr) {
  const TensorType& x = s.operands[0];
  const DimId from = s.attrs.dims(from_attr)[0], to = s.attrs.dims(to_attr)[0];
  const DimId dim = s.attrs.dims("dim")[0], fresh = s.attrs.dims("fresh")[0];
  if (!contains(x.dims, from)) return fails("the operand lacks `" + s.dims.name(from) + "`");
  if (contains(x.dims, to)) return fails("`" + s.dims.name(to) + "` would occur twice");
  const std::int64_t begin = s.attrs.integer("begin");
  if (begin < 0 || begin + s.dims.size(fresh) > s.dims.size(dim)) return fails("out of range");
  return gives({x.dtype, replaced(x.dims, from, to)});
}

/// Both ends must be whole on the processor that cuts.
Factors slice_factors(const Operation& op, const Graph& graph) {
  Factors factors = factors_by_name(op, graph);
  for (Factor& f : factors.list) {
    if (f.role != Role::parallel) f.role = Role::whole;
  }
  return factors;
}

/// Operands y, x, position: x has `entry`, of size 1, where y has `dim`.
Inferred infer_put(const Shapes& s) {
  if (s.operands.size() != 3) return fails("a tensor, an entry and a position");
  const TensorType &y = s.operands[0], &x = s.operands[1];
  const DimId dim = s.attrs.dims("dim")[0], entry = s.attrs.dims("entry")[0];
  if (!contains(y.dims, dim)) return fails("the operand lacks `" + s.dims.name(dim) + "`");
  if (!same_set(x.dims, replaced(y.dims, dim, entry)) || x.dtype != y.dtype)
    return fails("the entry does not fit");
  if (s.operands[2] != TensorType{DType::i32, {}}) return fails("the position must be one int");
  return gives(y);
}

/// The owner of the position puts the entry, which all have.
Factors put_factors(const Operation& op, const Graph& graph) {
  Factors factors;
  const DimId entry = op.attrs.dims("entry")[0];
  factors.list.push_back({Role::whole, {DimId{}, entry, DimId{}}, DimId{}});
  for (DimId dim : graph.at(op.results[0]).type.dims) {
    const bool shared = contains(graph.at(op.operands[1]).type.dims, dim);
    factors.list.push_back({Role::parallel, {dim, shared ? dim : DimId{}, DimId{}}, dim});
  }
  return factors;
}

}  // namespace

std::vector<OpDef> view_ops() {
  OpDef view = op_row("view", "renames, splits and merges dimensions, all at once");
  view.infer = infer_view;
  view.factors = view_factors;
  view.gradient = view_gradient;

  OpDef slice = op_row("slice", "a static range of a dimension, under a new name");
  slice.infer = [](const Shapes& s) { return infer_slice_or_pad(s, "dim", "fresh"); };
  slice.factors = slice_factors;
  slice.gradient = [](const GradientContext& c) {
    return Gradients{c.build.apply("pad", {c.grad()}, c.op.attrs)};
  };

  OpDef pad = op_row("pad", "zeros with the operand at a static place: the adjoint of slice");
  pad.infer = [](const Shapes& s) { return infer_slice_or_pad(s, "fresh", "dim"); };
  pad.factors = slice_factors;
  pad.gradient = [](const GradientContext& c) {
    return Gradients{c.build.apply("slice", {c.grad()}, c.op.attrs)};
  };

  OpDef broadcast = op_row("broadcast", "the operand repeated along further dimensions");
  broadcast.infer = [](const Shapes& s) {
    const DimList& to = s.attrs.dims("dims");
    if (!is_subset(s.operands[0].dims, to)) return fails("a dimension would be lost");
    return gives({s.operands[0].dtype, to});
  };
  broadcast.gradient = [](const GradientContext& c) {
    return Gradients{sum_to(c.build, c.grad(), c.operand(0))};
  };

  OpDef stop = op_row("stop_gradient", "the operand; no gradient passes");
  stop.infer = [](const Shapes& s) { return gives(s.operands[0]); };
  stop.not_differentiable = "it stops gradients";
  stop.expand = [](Builder&, const Operation& op) { return std::vector<ValueId>{op.operands[0]}; };
  OpDef put = op_row("put", "a tensor with one entry along a dimension replaced, in generation");
  put.infer = infer_put;
  put.factors = put_factors;
  put.not_differentiable = "it is made by generation alone";
  return {view, slice, pad, broadcast, stop, put};
}

}  // namespace mtfc::ops
