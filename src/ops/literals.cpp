// Values that are known before the run: constants, indices.
#include "ops/literals.h"

#include "ops/rules.h"

namespace mtfc::ops {

const double* constant_value(const Operation& op) {
  return op.op == "constant" ? std::get_if<double>(op.attrs.find("value")) : nullptr;
}
DimId index_dim(const Operation& op) { return op.op == "index" ? dim_of(op, "dim") : DimId{}; }

std::vector<OpDef> literals_rows() {
  constexpr std::string_view no_gradient = "it has no operand that a gradient could reach";
  return {
      {.name = "constant",
       .summary = "a tensor with one value everywhere",
       .kind = Kind::literal,
       .signature = {0, 0, {{"value", Type::number}, {"dtype", Type::dtype}, {"dims", Type::dims}}},
       .infer = declared_type,
       .not_differentiable = no_gradient,
       .local =
           [](const Operation& op, const Graph& graph) {
             return map_of_leaf(LeafKind::constant, graph.at(op.results[0]).type.dtype,
                                op.attrs.number("value"));
           }},
      {.name = "index",
       .summary = "the indices 0 .. size-1 of a dimension",
       .kind = Kind::literal,
       .signature = {0, 0, {{"dim", Type::dim}}},
       .infer =
           [](const Shapes& s) {
             return gives({DType::i32, s.attrs.dims("dim")});
           },
       .not_differentiable = no_gradient,
       .local =
           [](const Operation& op, const Graph&) {
             Map map = map_of_leaf(LeafKind::index, DType::i32);
             map.index_leaves = op.attrs.dims("dim");
             return map;
           }},
  };
}

}  // namespace mtfc::ops
