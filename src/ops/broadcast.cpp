// Broadcasting to further dimensions.
#include "ops/rules.h"

namespace mtfc::ops {

std::vector<OpDef> broadcast_rows() {
  return {{.name = "broadcast",
           .summary = "the operand repeated along further dimensions",
           .kind = Kind::copy,
           .signature = {1, 1, {{"dims", Type::dims}}},
           .infer =
               [](const Shapes& s) {
                 const DimList& to = s.attrs.dims("dims");
                 if (!is_subset(s.operands[0].dims, to)) return fails("a dimension would be lost");
                 return gives({s.operands[0].dtype, to});
               },
           .gradient =
               [](const GradientContext& c) {
                 return Gradients{sum_to(c.build, c.grad(), c.operand(0))};
               },
           .local = [](const Operation& op,
                       const Graph& graph) { return map_of(op, graph, std::nullopt); }}};
}

}  // namespace mtfc::ops
