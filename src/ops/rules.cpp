#include "ops/rules.h"

namespace mtfc::ops {

Inferred fails(std::string why) { return {{}, std::move(why)}; }
Inferred gives(TensorType type) { return {{std::move(type)}, ""}; }
Inferred declared_type(const Shapes& s) {
  return gives({s.attrs.dtype("dtype"), s.attrs.dims("dims")});
}

Factors factors_by_name(const Operation& op, const Graph& graph) {
  Factors factors;
  DimList all;
  auto collect = [&](ValueId id) { all = union_of(all, graph.at(id).type.dims); };
  for (ValueId id : op.operands) collect(id);
  const DimList in_operands = all;
  for (ValueId id : op.results) collect(id);
  const DimList& result = graph.at(op.results[0]).type.dims;
  for (DimId dim : all) {
    Factor factor;
    factor.operands.reserve(op.operands.size());
    for (ValueId id : op.operands) {
      factor.operands.push_back(contains(graph.at(id).type.dims, dim) ? dim : DimId{});
    }
    if (contains(result, dim)) factor.result = dim;
    factor.role = !contains(in_operands, dim) ? Role::created
                  : factor.result.valid()     ? Role::parallel
                                              : Role::reduced;
    factors.list.push_back(std::move(factor));
  }
  return factors;
}

Factors factors_but(const Operation& op, const Graph& graph, const DimList& replicated) {
  Factors factors = factors_by_name(op, graph);
  for (Factor& factor : factors.list) {
    bool any = factor.result.valid() && contains(replicated, factor.result);
    for (DimId dim : factor.operands) any = any || (dim.valid() && contains(replicated, dim));
    if (any) factor.role = Role::replicated;
  }
  return factors;
}

DimId dim_of(const Operation& op, std::string_view attribute) {
  return op.attrs.dims(attribute)[0];
}

DimList operand_dims(const Operation& op, const Graph& graph) {
  DimList all;
  for (ValueId id : op.operands) all = union_of(all, graph.at(id).type.dims);
  return all;
}

Map map_of(const Operation& op, const Graph& graph, std::optional<ScalarOp> scalar) {
  Map map;
  map.body.code.reserve(op.operands.size() + 1);
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    map.body.code.push_back(
        scalar::operand(static_cast<int>(i), graph.at(op.operands[i]).type.dtype));
  if (scalar) {
    ScalarInstruction s;
    s.op = *scalar;
    s.dtype = graph.at(op.results[0]).type.dtype;
    for (std::size_t i = 0; i < op.operands.size(); ++i) s.args[i] = static_cast<int>(i);
    map.body.code.push_back(s);
  }
  map.body.results = {static_cast<int>(map.body.code.size()) - 1};
  return map;
}

Map map_of_leaf(LeafKind kind, DType dtype, double value) {
  Map map;
  map.body.code = {kind == LeafKind::constant ? scalar::constant(value, dtype)
                                              : scalar::leaf(kind, 0, dtype)};
  map.body.results = {0};
  return map;
}

DType wide(DType dtype) { return is_half(dtype) ? DType::f32 : dtype; }
ValueId wide(Builder& build, ValueId x) { return build.cast(x, wide(build.type(x).dtype)); }

ValueId wide_sum(Builder& build, ValueId x, const DimList& over) {
  return build.reduce(Combine::sum, wide(build, x), over);
}

BelowMax below_max(Builder& build, ValueId x, const DimList& over) {
  const ValueId max = build.reduce(Combine::max, x, over);
  return {max, build.binary("sub", x, max)};
}

LogNormaliser log_normaliser(Builder& build, ValueId x, const DimList& over) {
  const BelowMax parts = below_max(build, x, over);
  const ValueId e = build.unary("exp", parts.below);
  return {parts, build.unary("log", wide_sum(build, e, over))};
}

ValueId whole(Builder& build, const LogNormaliser& normaliser) {
  return build.binary("add", wide(build, normaliser.max), normaliser.rest);
}

ValueId to_max(Builder& build, ValueId x, const LogNormaliser& normaliser) {
  return build.binary("sub", wide(build, normaliser.max), wide(build, x));
}

ValueId softmax_of(Builder& build, ValueId to_max, const LogNormaliser& normaliser) {
  return build.unary("exp", build.unary("neg", build.binary("add", to_max, normaliser.rest)));
}

ValueId sum_to(Builder& build, ValueId grad, ValueId like) {
  // Copies: building adds values, and their list moves.
  const DimList target = build.type(like).dims, have = build.type(grad).dims;
  if (have == target) return grad;
  if (is_subset(have, target)) return build.broadcast(grad, target);
  if (is_subset(target, have)) return build.reduce_to(Combine::sum, grad, target);
  DimList common;
  for (DimId dim : target) {
    if (contains(have, dim)) common.push_back(dim);
  }
  return build.broadcast(build.reduce_to(Combine::sum, grad, common), target);
}

ValueId scalar_like(Builder& build, double value, ValueId like) {
  return build.constant(value, build.type(like).dtype);
}

ValueId product_to(Builder& build, ValueId a, ValueId b, ValueId like) {
  const DimList all = union_of(build.type(a).dims, build.type(b).dims);
  const DimList target = build.type(like).dims;
  if (is_subset(all, target)) return sum_to(build, build.binary("mul", a, b), like);
  DimList common;
  for (DimId dim : target) {
    if (contains(all, dim)) common.push_back(dim);
  }
  return sum_to(build, build.einsum_to({a, b}, common), like);
}

}  // namespace mtfc::ops
