// The largest elements along a dimension.
#include "ops/top_k.h"

#include <limits>

#include "ops/blockwise.h"
#include "ops/rules.h"

namespace mtfc::ops {

namespace {

Inferred infer_top_k(const Shapes& s) {
  const TensorType& x = s.operands[0];
  const DimId dim = s.attrs.dims("dim")[0], k = s.attrs.dims("k")[0];
  if (!contains(x.dims, dim)) return fails("dimension missing");
  if (contains(without(x.dims, {dim}), k)) return fails("the results' dimension occurs twice");
  const std::int64_t first = s.attrs.integer("first", 0);
  if (first < 0 || first > s.dims.size(dim) - s.dims.size(k))
    return fails("more results than elements");
  return gives({DType::i32, replaced(x.dims, dim, k)});
}

/// The largest of each block, then the largest among these. Not worth it if they are more than half
/// of a block.
ValueId top_k_of_blocks(Blockwise& b, const Operation& op, ValueId x) {
  Builder& build = b.build;
  const DimId dim = dim_of(op, "dim"), k = dim_of(op, "k");
  const std::int64_t first = op.attrs.integer("first", 0);
  const std::int64_t wanted = first + b.dims.size(k);
  if (!b.is_split(dim) || 2 * wanted > b.dims.size(dim) / b.count(dim)) return {};
  const Blocks& blocks = b.blocks(dim);
  const DimId of_block = b.fresh_dim(b.dims[k].name + "_first", wanted);
  const DimId all = b.fresh_dim(b.dims[k].name + "_of_blocks", blocks.count * wanted);
  const ValueId v = b.apart(x, dim);
  const ValueId indices = top_k(build, v, blocks.within, of_block);
  const ValueId values = build.gather(v, {blocks.within}, {indices}, 0);
  const ValueId size = build.constant(static_cast<double>(blocks.size), DType::i32);
  const ValueId begins = build.binary("mul", build.index(blocks.number), size);
  const ValueId global = build.binary("add", indices, begins);
  const auto joined = [&](ValueId y) {
    return build.view(y, {{{blocks.number, of_block}, {all}}});
  };
  const ValueId best = top_k(build, joined(values), all, k, first);
  return build.gather(joined(global), {all}, {best}, 0);
}

}  // namespace

ValueId top_k(Builder& build, ValueId x, DimId dim, DimId k, std::int64_t first) {
  Attrs attrs{{"dim", DimList{dim}}, {"k", DimList{k}}};
  if (first > 0) attrs.set("first", first);
  return build.apply("top_k", {x}, std::move(attrs));
}

std::vector<OpDef> top_k_rows() {
  return {
      {.name = "top_k",
       .summary = "the indices of the largest elements, in descending order",
       .signature = {1, 1, {{"dim", Type::dim}, {"k", Type::dim}, {"first", Type::integer, true}}},
       .infer = infer_top_k,
       .factors =
           [](const Operation& op, const Graph& graph) {
             return factors_but(op, graph, union_of(op.attrs.dims("dim"), op.attrs.dims("k")));
           },
       .not_differentiable = "its result is an int",
       .local =
           [](const Operation& op, const Graph&) {
             return TopK{dim_of(op, "dim"), dim_of(op, "k"), op.attrs.integer("first", 0)};
           },
       .blockwise = top_k_of_blocks,
       .padding =
           [](const Operation& op) {  // not a number comes last, of equal ones the first first
             return Padding{{dim_of(op, "dim")}, std::numeric_limits<double>::quiet_NaN()};
           }}};
}

}  // namespace mtfc::ops
