// When a sum passes elementwise computation: where the scalar program is linear in it.
#include "ir/instr/map.h"

#include <algorithm>

namespace mtfc {

namespace {

/// A cast that loses nothing: the sum of what is cast is the cast of the sum, or nearer to it.
bool widens(DType from, DType to) {
  return is_float(from) && (to == DType::f64 || (is_half(from) && to == DType::f32));
}

/// What a scalar instruction's value is with respect to the partial axes.
enum class Linearity { complete, zero, partial, broken };

Linearity combine_linear(Linearity a, Linearity b) {
  if (a == Linearity::broken || b == Linearity::broken) return Linearity::broken;
  if (a == Linearity::zero && b == Linearity::zero) return Linearity::zero;
  const bool a_partial = a != Linearity::complete,
             b_partial = b != Linearity::complete;  // zero is both
  if (a == Linearity::partial || b == Linearity::partial) {
    return a_partial && b_partial ? Linearity::partial : Linearity::broken;
  }
  return Linearity::complete;
}

Linearity product_linear(Linearity a, Linearity b) {
  if (a == Linearity::broken || b == Linearity::broken) return Linearity::broken;
  if (a == Linearity::partial && b == Linearity::partial) return Linearity::broken;
  return a == Linearity::partial || b == Linearity::partial ? Linearity::partial
                                                            : Linearity::complete;
}

Linearity step_linear(const Map& map, const ScalarInstruction& s,
                      const std::vector<Linearity>& states, bool rounded) {
  auto arg = [&](int i) { return states[static_cast<std::size_t>(s.args[i])]; };
  switch (s.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
      return combine_linear(arg(0), arg(1));
    case ScalarOp::neg:
      return arg(0);
    case ScalarOp::mul:
      return product_linear(arg(0), arg(1));
    case ScalarOp::div:
      return arg(1) == Linearity::partial ? Linearity::broken : product_linear(arg(0), arg(1));
    case ScalarOp::select:
      if (arg(0) == Linearity::partial || arg(0) == Linearity::broken) return Linearity::broken;
      return combine_linear(arg(1), arg(2));
    case ScalarOp::cast: {
      const DType from = map.body.code[static_cast<std::size_t>(s.args[0])].dtype;
      if (widens(from, s.dtype) || (rounded && is_float(from) && is_float(s.dtype))) return arg(0);
      break;
    }
    default:
      break;
  }
  for (int i = 0; i < arity(s.op); ++i) {
    if (arg(i) == Linearity::partial || arg(i) == Linearity::broken) return Linearity::broken;
  }
  return Linearity::complete;
}

bool below(int number, std::size_t limit) {
  return number >= 0 && static_cast<std::size_t>(number) < limit;
}

bool samples(Distribution distribution, DType dtype) {
  if (distribution == Distribution::integers) return dtype == DType::i32;
  if (distribution == Distribution::bernoulli) return dtype == DType::boolean;
  return is_float(dtype);
}

/// What a scalar operation refers to is there, and has types that it takes.
std::string check_operation(const Map& map, std::size_t i) {
  const ScalarInstruction& s = map.body.code[i];
  const auto type = [&](int arg) {
    return map.body.code[static_cast<std::size_t>(s.args[arg])].dtype;
  };
  for (int arg = 0; arg < arity(s.op); ++arg)
    if (!below(s.args[arg], i)) return "a scalar value is used before it is made";
  const int last = arity(s.op) - 1;
  const bool selects = s.op == ScalarOp::select;
  if (selects && type(0) != DType::boolean) return "a condition is not bool";
  for (int arg = selects ? 1 : 0; arg < last; ++arg)
    if (type(arg) != type(last)) return "a scalar operation of several types";
  if (!takes(s.op, type(last))) return "a scalar operation of a type that it does not take";
  const DType made = s.op == ScalarOp::cast ? s.dtype
                     : gives_bool(s.op)     ? DType::boolean
                                            : type(last);
  return s.dtype == made ? "" : "a scalar operation that makes another type";
}

/// What scalar instruction number i refers to is there, and has the right types.
std::string check_scalar(const Map& map, std::size_t i, const ShardTypes& operands) {
  const ScalarInstruction& s = map.body.code[i];
  const auto leaf = static_cast<std::size_t>(s.leaf);
  switch (s.kind) {
    case LeafKind::operand:
      if (!below(s.leaf, operands.size())) return "a leaf names no operand";
      return operands[leaf].tensor.dtype == s.dtype ? "" : "an operand is read as another type";
    case LeafKind::index:
      if (!below(s.leaf, map.index_leaves.size())) return "a leaf names no index";
      return s.dtype != DType::boolean ? "" : "an index is read as bool";
    case LeafKind::random:
      if (!below(s.leaf, map.random_leaves.size())) return "a leaf names no sample";
      return samples(map.random_leaves[leaf].distribution, s.dtype) ? ""
                                                                    : "a sample of another type";
    case LeafKind::constant:
      return "";
    case LeafKind::none:
      break;
  }
  return check_operation(map, i);
}

std::string check_sample(const Map::Random& random, const ShardTypes& operands,
                         const DimList& dims) {
  for (int operand : {random.step_operand, random.first_operand})
    if (operand != -1 &&
        (!below(operand, operands.size()) ||
         operands[static_cast<std::size_t>(operand)].tensor != TensorType{DType::i32, {}}))
      return "a random sample counts from what is not one int";
  if (!are_distinct(random.dims) || !is_subset(random.dims, dims))
    return "a random sample is over no dimension of the result";
  if (random.first_operand >= 0 && !random.numbered.valid())
    return "a random sample counts along no dimension";
  if (random.every < 1 || (random.numbered.valid() && !contains(random.dims, random.numbered)))
    return "a random sample is numbered along a dimension that it lacks";
  return "";
}

}  // namespace

std::string Map::check(const InstrContext& c) const {
  if (c.out.empty() || c.out.size() != body.results.size()) return "results do not match the body";
  const ShardType& made = c.out[0];
  for (const ShardType& type : c.out)
    if (type.tensor.dims != made.tensor.dims || type.sharding != made.sharding)
      return "results of one map differ";
  for (const ShardType& type : c.in) {
    if (!is_subset(type.tensor.dims, made.tensor.dims)) return "an operand has a further dimension";
    if (std::string error = aligned(type, made); !error.empty()) return error;
  }
  for (std::size_t i = 0; i < body.code.size(); ++i)
    if (std::string error = check_scalar(*this, i, c.in); !error.empty()) return error;
  for (std::size_t i = 0; i < body.results.size(); ++i) {
    if (!below(body.results[i], body.code.size())) return "a result names no scalar value";
    if (body.code[static_cast<std::size_t>(body.results[i])].dtype != c.out[i].tensor.dtype)
      return "a result has another type than the scalar value";
  }
  if (!is_subset(index_leaves, made.tensor.dims))
    return "an index is over no dimension of the result";
  for (const Random& random : random_leaves)
    if (std::string error = check_sample(random, c.in, made.tensor.dims); !error.empty())
      return error;
  return "";
}

PartialResult Map::partial(const ShardTypes& operands, bool rounded) const {
  PartialAxes partial;
  for (const ShardType& type : operands) {
    if (!type.sharding.is_partial()) continue;
    if (type.sharding.combine != Combine::sum) return std::nullopt;
    if (partial.axes.empty()) partial = partial_of_type(type);
    if (partial.axes != type.sharding.partial) return std::nullopt;
  }
  if (partial.axes.empty()) return PartialAxes{};

  std::vector<Linearity> states;
  for (const ScalarInstruction& s : body.code) {
    Linearity state = Linearity::complete;
    if (s.kind == LeafKind::operand) {
      const ShardType& type = operands[static_cast<std::size_t>(s.leaf)];
      if (type.sharding.is_partial())
        state = Linearity::partial;
      else if (varies_along(type, partial.axes))
        state = Linearity::broken;
    } else if (s.kind == LeafKind::constant && s.value == 0) {
      state = Linearity::zero;
    } else if (s.kind == LeafKind::none) {
      state = step_linear(*this, s, states, rounded);
    }
    states.push_back(state);
  }
  for (int result : body.results) {
    if (states[static_cast<std::size_t>(result)] != Linearity::partial) return std::nullopt;
  }
  return partial;
}

Flops Map::flops(const InstrContext& c) const {
  const auto operations =
      std::count_if(body.code.begin(), body.code.end(),
                    [](const ScalarInstruction& step) { return step.kind == LeafKind::none; });
  return {static_cast<double>(operations), c.out[0]};
}

}  // namespace mtfc
