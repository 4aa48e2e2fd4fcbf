// Windows: dimensions read at places that are affine in positions, and their adjoint.
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

using Items = std::vector<WindowItem>;

bool is_indexed(const Items& items, DimId dim) {
  for (const WindowItem& item : items)
    if (item.dim == dim) return true;
  return false;
}

/// The items' dimensions: the first terms of all items, then the second ones ... So that a patch's
/// positions, and then its extents, stand side by side.
DimList item_dims(const Items& items) {
  DimList dims;
  std::size_t most = 0;
  for (const WindowItem& item : items) most = std::max(most, item.at.terms.size());
  for (std::size_t t = 0; t < most; ++t)
    for (const WindowItem& item : items)
      if (t < item.at.terms.size() && !contains(dims, item.at.terms[t].dim))
        dims.push_back(item.at.terms[t].dim);
  return dims;
}

Inferred infer_window(const Shapes& s) {
  const TensorType& x = s.operands[0];
  const Items& items = s.attrs.windows("items");
  DimList taken;
  for (const WindowItem& item : items) {
    if (!contains(x.dims, item.dim))
      return fails("the operand lacks `" + s.dims.name(item.dim) + "`");
    if (contains(taken, item.dim)) return fails("a dimension is indexed twice");
    taken.push_back(item.dim);
  }
  const DimList fresh = without(item_dims(items), without(x.dims, taken));
  DimList result;
  bool placed = false;
  for (DimId dim : x.dims) {
    if (!contains(taken, dim)) {
      result.push_back(dim);
    } else if (!placed) {
      result.insert(result.end(), fresh.begin(), fresh.end());
      placed = true;
    }
  }
  return gives({x.dtype, result});
}

/// A position keeps its split; what is indexed must be whole on the processor that reads it.
Factors window_factors(const Operation& op, const Graph& graph) {
  const Items& items = op.attrs.windows("items");
  const DimList& x = graph.at(op.operands[0]).type.dims;
  Factors factors;
  for (DimId dim : x) {
    const bool indexed = is_indexed(items, dim);
    factors.list.push_back(
        {indexed ? Role::whole : Role::parallel, {dim}, indexed ? DimId{} : dim});
  }
  for (DimId dim : graph.at(op.results[0]).type.dims)
    if (!contains(x, dim) || is_indexed(items, dim))
      factors.list.push_back({Role::created, {DimId{}}, dim});
  return factors;
}

Factors window_add_factors(const Operation& op, const Graph& graph) {
  const Items& items = op.attrs.windows("items");
  const DimList& x = graph.at(op.results[0]).type.dims;
  Factors factors;
  for (DimId dim : x) {
    const bool indexed = is_indexed(items, dim);
    factors.list.push_back(
        {indexed ? Role::whole : Role::parallel, {indexed ? DimId{} : dim}, dim});
  }
  for (DimId dim : graph.at(op.operands[0]).type.dims)
    if (!contains(x, dim) || is_indexed(items, dim))
      factors.list.push_back({Role::reduced, {dim}, DimId{}});
  return factors;
}

}  // namespace

std::vector<OpDef> window_ops() {
  OpDef window = op_row("window", "x read at places that are affine in positions; else a value");
  window.infer = infer_window;
  window.factors = window_factors;
  window.gradient = [](const GradientContext& c) {
    return Gradients{c.build.apply(
        "window_add", {c.grad()},
        {{"items", c.op.attrs.windows("items")}, {"to", c.build.type(c.operand(0)).dims}})};
  };

  OpDef add = op_row("window_add", "sums of the operand over equal places: the adjoint of window");
  add.infer = [](const Shapes& s) {
    if (s.operands[0].dtype == DType::boolean) return fails("a sum of bool");
    return gives({s.operands[0].dtype, s.attrs.dims("to")});
  };
  add.factors = window_add_factors;
  add.gradient = [](const GradientContext& c) {
    return Gradients{
        sum_to(c.build, c.build.window(c.grad(), c.op.attrs.windows("items"), 0), c.operand(0))};
  };
  return {window, add};
}

}  // namespace mtfc::ops
