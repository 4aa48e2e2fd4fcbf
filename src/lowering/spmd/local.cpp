#include "lowering/spmd/local.h"

#include "ops/op.h"
#include "support/check.h"

namespace mtfc::lowering {

namespace {

ScalarInstruction operand_leaf(int number, DType dtype) {
  ScalarInstruction s;
  s.kind = LeafKind::operand;
  s.dtype = dtype;
  s.leaf = number;
  return s;
}

/// One scalar operation on all operands; without one, the operand itself.
Map elementwise(const Operation& op, const Graph& graph, std::optional<ScalarOp> scalar) {
  Map map;
  const DType result = graph.at(op.results[0]).type.dtype;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    map.body.code.push_back(operand_leaf(static_cast<int>(i), graph.at(op.operands[i]).type.dtype));
  }
  if (scalar) {
    ScalarInstruction s;
    s.op = *scalar;
    s.dtype = result;
    for (std::size_t i = 0; i < op.operands.size(); ++i) s.args[i] = static_cast<int>(i);
    map.body.code.push_back(s);
  }
  map.body.results = {static_cast<int>(map.body.code.size()) - 1};
  return map;
}

Map leaf(LeafKind kind, DType dtype, double value = 0) {
  ScalarInstruction s;
  s.kind = kind;
  s.dtype = dtype;
  s.value = value;
  if (kind != LeafKind::constant) s.leaf = 0;
  Map map;
  map.body.code = {s};
  map.body.results = {0};
  return map;
}

Map random_map(const Operation& op, const Graph& graph) {
  const TensorType& type = graph.at(op.results[0]).type;
  Map map = leaf(LeafKind::random, type.dtype);
  Map::Random draw;
  draw.draw = *draw_named(op.attrs.text("draw"));
  draw.a = op.attrs.number("a");
  draw.b = op.attrs.number("b");
  draw.key = op.attrs.integer("key");
  const auto* order = op.attrs.find("order");
  draw.dims = order ? std::get<DimList>(*order) : type.dims;
  draw.step_operand = op.operands.empty() ? -1 : 0;
  draw.first_operand = op.operands.size() > 1 ? 1 : -1;
  if (draw.first_operand >= 0) draw.numbered = op.attrs.dims("numbered")[0];
  if (const auto* every = op.attrs.find("every")) draw.every = std::get<std::int64_t>(*every);
  map.random_leaves.push_back(std::move(draw));
  return map;
}

Combine combine_named(const std::string& kind) {
  return kind == "sum" ? Combine::sum : kind == "max" ? Combine::max : Combine::min;
}

DimList operand_dims(const Operation& op, const Graph& graph) {
  DimList all;
  for (ValueId id : op.operands) all = union_of(all, graph.at(id).type.dims);
  return all;
}

}  // namespace

InstructionKind local_instruction(const Operation& op, const Graph& graph) {
  const TensorType& type = graph.at(op.results[0]).type;
  const ops::OpDef& def = ops::op_named(op.op);
  if (def.scalar) return elementwise(op, graph, def.scalar);
  if (op.op == "broadcast") return elementwise(op, graph, std::nullopt);
  if (op.op == "constant") return leaf(LeafKind::constant, type.dtype, op.attrs.number("value"));
  if (op.op == "index") {
    Map map = leaf(LeafKind::index, type.dtype);
    map.index_leaves = op.attrs.dims("dim");
    return map;
  }
  if (op.op == "random") return random_map(op, graph);
  if (op.op == "contract") return Contract{without(operand_dims(op, graph), type.dims)};
  if (op.op == "reduce") {
    return Reduce{combine_named(op.attrs.text("kind")),
                  without(operand_dims(op, graph), type.dims)};
  }
  if (op.op == "view") return Rearrange{op.attrs.groups("groups")};
  const auto dim = [&](const char* name) { return op.attrs.dims(name)[0]; };
  if (op.op == "slice") return Slice{dim("dim"), dim("fresh"), op.attrs.integer("begin")};
  if (op.op == "pad") return Pad{dim("fresh"), dim("dim"), op.attrs.integer("begin")};
  if (op.op == "gather") return Gather{op.attrs.dims("dims"), op.attrs.number("fill", 0)};
  if (op.op == "scatter_add") {
    // An indexed dimension that y has too came from an index tensor.
    DimList reduced;
    for (DimId d : graph.at(op.operands[0]).type.dims) {
      if (!contains(type.dims, d) || contains(op.attrs.dims("dims"), d)) reduced.push_back(d);
    }
    return ScatterAdd{op.attrs.dims("dims"), reduced};
  }
  if (op.op == "put") return Put{dim("dim"), dim("entry")};
  if (op.op == "window") return Window{op.attrs.windows("items"), op.attrs.number("fill")};
  if (op.op == "window_add") {
    // An indexed dimension that y has too is one of its positions.
    DimList kept = type.dims;
    for (const WindowItem& item : op.attrs.windows("items")) kept = without(kept, {item.dim});
    return WindowAdd{op.attrs.windows("items"), without(operand_dims(op, graph), kept)};
  }
  if (op.op == "cumsum")
    return PrefixSum{dim("dim"), op.attrs.flag("exclusive"), op.attrs.flag("reverse")};
  if (op.op == "top_places")
    return TopPlaces{dim("dim"), dim("ranks"), op.attrs.integer("first", 0)};
  if (op.op == "concat") return Concat{op.attrs.dims("parts"), dim("dim")};
  if (op.op == "input") return Feed{op.attrs.text("name")};
  if (op.op == "step" || op.op == "steps" || op.op == "examples" || op.op == "first_example" ||
      op.op == "part" || op.op == "position") {
    return Feed{op.op};
  }
  if (op.op == "read") return Read{op.attrs.text("variable")};
  MTFC_CHECK(false, "operation `" + op.op + "` has no local form");
  return Feed{};
}

}  // namespace mtfc::lowering
