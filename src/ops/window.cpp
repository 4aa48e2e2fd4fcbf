// Windows: dimensions read at indices that are affine in others, and their adjoint.
#include "ops/window.h"

#include "ops/rules.h"
#include "ops/window_halo.h"

namespace mtfc::ops {

namespace {

using Items = std::vector<WindowItem>;

/// What lies outside of the operand is never read, or reads as `value`.
Padding beside(const Operation& op, double value) {
  Padding padding{{}, value};
  for (const WindowItem& item : op.attrs.windows("items")) padding.dims.push_back(item.dim);
  return padding;
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
    DimList terms;
    for (const Affine::Term& term : item.at.terms) {
      if (contains(terms, term.dim)) return fails("an index has two terms of one dimension");
      terms.push_back(term.dim);
    }
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

/// The shape before a window, from the shape after it.
Inferred infer_window_add(const Shapes& s) {
  const DType dtype = s.operands[0].dtype;
  if (dtype == DType::boolean) return fails("a sum of bool");
  const std::vector<TensorType> before = {{dtype, s.attrs.dims("to")}};
  const Inferred after = infer_window({s.dims, before, s.attrs});
  if (!after.error.empty()) return after;
  if (!same_set(after.types[0].dims, s.operands[0].dims)) return fails("the operand does not fit");
  return gives(before[0]);
}

/// A position keeps its split; what is indexed must be whole on the processor that reads it.
Factors window_factors(const Operation& op, const Graph& graph) {
  const Items& items = op.attrs.windows("items");
  const DimList& x = graph.at(op.operands[0]).type.dims;
  Factors factors;
  for (DimId dim : x) {
    const bool indexed = is_indexed(items, dim);
    factors.list.push_back(
        {indexed ? Role::replicated : Role::parallel, {dim}, indexed ? DimId{} : dim});
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
        {indexed ? Role::replicated : Role::parallel, {indexed ? DimId{} : dim}, dim});
  }
  for (DimId dim : graph.at(op.operands[0]).type.dims)
    if (!contains(x, dim) || is_indexed(items, dim))
      factors.list.push_back({Role::reduced, {dim}, DimId{}});
  return factors;
}

}  // namespace

const std::vector<WindowItem>* window_items(const Operation& op) {
  return op.op == "window" ? &op.attrs.windows("items") : nullptr;
}

ValueId window_as_gather(Builder& build, const Operation& op, ValueId x) {
  DimList indexed;
  std::vector<ValueId> indices;
  const auto number = [&](std::int64_t v) {
    return build.constant(static_cast<double>(v), DType::i32);
  };
  for (const WindowItem& item : op.attrs.windows("items")) {
    ValueId sum = number(item.at.begin);
    for (const Affine::Term& term : item.at.terms) {
      const ValueId scale = number(term.scale);
      sum = build.binary("add", sum, build.binary("mul", build.index(term.dim), scale));
    }
    indexed.push_back(item.dim);
    indices.push_back(sum);
  }
  return build.gather(x, indexed, std::move(indices), op.attrs.number("fill"));
}

std::vector<OpDef> window_rows() {
  return {
      {.name = "window",
       .summary = "x read at indices that are affine in others; else a value",
       .signature = {1, 1, {{"items", Type::windows}, {"fill", Type::number}}},
       .infer = infer_window,
       .factors = window_factors,
       .gradient =
           [](const GradientContext& c) {
             return Gradients{c.build.apply("window_add", {c.grad()},
                                            {{"items", c.op.attrs.windows("items")},
                                             {"to", c.build.type(c.operand(0)).dims}})};
           },
       .local =
           [](const Operation& op, const Graph&) {
             return Window{op.attrs.windows("items"), op.attrs.number("fill")};
           },
       .moves = true,
       .blockwise =
           [](Blockwise& b, const Operation& op, ValueId x) {
             return window_of_blocks(b, x, op.attrs.windows("items"), op.attrs.number("fill"));
           },
       .padding = [](const Operation& op) { return beside(op, op.attrs.number("fill")); }},
      {.name = "window_add",
       .summary = "sums of the operand over equal indices: the adjoint of window",
       .signature = {1, 1, {{"items", Type::windows}, {"to", Type::dims}}},
       .infer = infer_window_add,
       .factors = window_add_factors,
       .gradient =
           [](const GradientContext& c) {
             const ValueId dx = c.build.window(c.grad(), c.op.attrs.windows("items"), 0);
             return Gradients{sum_to(c.build, dx, c.operand(0))};
           },
       .local =
           [](const Operation& op, const Graph& graph) {
             // An indexed dimension that the operand has too is one of its positions.
             DimList kept = graph.at(op.results[0]).type.dims;
             for (const WindowItem& item : op.attrs.windows("items"))
               kept = without(kept, {item.dim});
             return WindowAdd{op.attrs.windows("items"), without(operand_dims(op, graph), kept)};
           },
       .blockwise =
           [](Blockwise& b, const Operation& op, ValueId y) {
             return window_add_of_blocks(b, y, op.attrs.windows("items"), op.attrs.dims("to"));
           },
       .padding = [](const Operation& op) { return beside(op, 0); }},
  };
}

}  // namespace mtfc::ops
