#include "layout/partial.h"

#include <algorithm>

namespace mtfc::lowering {

namespace {

using Answer = std::optional<PartialAxes>;
using Types = std::vector<ShardType>;

PartialAxes partial_of_type(const ShardType& type) {
  return {type.sharding.partial, type.sharding.combine};
}

void add_axes(std::vector<AxisId>& axes, const std::vector<AxisId>& more) {
  for (AxisId axis : more) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end());
}

bool varies_along(const ShardType& type, const std::vector<AxisId>& axes) {
  for (AxisId axis : varying_axes(type.sharding)) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) return true;
  }
  return false;
}

/// `operand` passes if nothing else varies along its axes; then the reduced dims' axes are added.
Answer multilinear(const Types& types, std::size_t operand, const DimList& reduced,
                   Combine combine) {
  PartialAxes result = partial_of_type(types[operand]);
  if (!result.axes.empty() && result.combine != combine) return std::nullopt;
  result.combine = combine;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i != operand && varies_along(types[i], result.axes)) return std::nullopt;
  }
  for (DimId dim : reduced) {
    for (const ShardType& type : types) add_axes(result.axes, split_of(type, dim));
  }
  return result;
}

/// A cast that loses nothing: the sum of what is cast is the cast of the sum, or nearer to it.
bool widens(DType from, DType to) {
  return is_float(from) && (to == DType::f64 || (is_half(from) && to == DType::f32));
}

/// What a scalar instruction's value is with respect to the pending axes.
enum class Linearity { complete, zero, pending, broken };

Linearity combine_linear(Linearity a, Linearity b) {
  if (a == Linearity::broken || b == Linearity::broken) return Linearity::broken;
  if (a == Linearity::zero && b == Linearity::zero) return Linearity::zero;
  const bool a_pends = a != Linearity::complete,
             b_pends = b != Linearity::complete;  // zero is both
  if (a == Linearity::pending || b == Linearity::pending) {
    return a_pends && b_pends ? Linearity::pending : Linearity::broken;
  }
  return Linearity::complete;
}

Linearity product(Linearity a, Linearity b) {
  if (a == Linearity::broken || b == Linearity::broken) return Linearity::broken;
  if (a == Linearity::pending && b == Linearity::pending) return Linearity::broken;
  return a == Linearity::pending || b == Linearity::pending ? Linearity::pending
                                                            : Linearity::complete;
}

Linearity step(const Map& map, const ScalarInstruction& s, const std::vector<Linearity>& states,
               bool rounded) {
  auto arg = [&](int i) { return states[static_cast<std::size_t>(s.args[i])]; };
  switch (s.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
      return combine_linear(arg(0), arg(1));
    case ScalarOp::neg:
      return arg(0);
    case ScalarOp::mul:
      return product(arg(0), arg(1));
    case ScalarOp::div:
      return arg(1) == Linearity::pending ? Linearity::broken : product(arg(0), arg(1));
    case ScalarOp::select:
      if (arg(0) == Linearity::pending || arg(0) == Linearity::broken) return Linearity::broken;
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
    if (arg(i) == Linearity::pending || arg(i) == Linearity::broken) return Linearity::broken;
  }
  return Linearity::complete;
}

Answer partial_of_map(const Map& map, const Types& types, bool rounded) {
  PartialAxes pending;
  for (const ShardType& type : types) {
    if (!type.sharding.is_partial()) continue;
    if (type.sharding.combine != Combine::sum) return std::nullopt;
    if (pending.axes.empty()) pending = partial_of_type(type);
    if (pending.axes != type.sharding.partial) return std::nullopt;
  }
  if (pending.axes.empty()) return PartialAxes{};

  std::vector<Linearity> states;
  for (const ScalarInstruction& s : map.body.code) {
    Linearity state = Linearity::complete;
    if (s.kind == LeafKind::operand) {
      const ShardType& type = types[static_cast<std::size_t>(s.leaf)];
      if (type.sharding.is_partial())
        state = Linearity::pending;
      else if (varies_along(type, pending.axes))
        state = Linearity::broken;
    } else if (s.kind == LeafKind::constant && s.value == 0) {
      state = Linearity::zero;
    } else if (s.kind == LeafKind::none) {
      state = step(map, s, states, rounded);
    }
    states.push_back(state);
  }
  for (int result : map.body.results) {
    if (states[static_cast<std::size_t>(result)] != Linearity::pending) return std::nullopt;
  }
  return pending;
}

struct PartialOf {
  const Types& types;
  bool rounded;

  Answer same() const { return types.empty() ? PartialAxes{} : partial_of_type(types[0]); }
  Answer none() const {
    for (const ShardType& type : types) {
      if (type.sharding.is_partial()) return std::nullopt;
    }
    return PartialAxes{};
  }

  Answer operator()(const Map& map) const { return partial_of_map(map, types, rounded); }
  Answer operator()(const Contract& c) const {
    const std::size_t partial = types[1].sharding.is_partial() ? 1 : 0;
    return multilinear(types, partial, c.reduced, Combine::sum);
  }
  Answer operator()(const Reduce& r) const { return multilinear(types, 0, r.reduced, r.kind); }
  Answer operator()(const Rearrange&) const { return same(); }
  Answer operator()(const Slice&) const { return same(); }
  Answer operator()(const Pad&) const {
    return types[0].sharding.is_partial() && types[0].sharding.combine != Combine::sum
               ? std::nullopt
               : same();
  }
  Answer operator()(const Gather& g) const {
    // A fill value that is not 0 must not be added once per processor.
    if (types[0].sharding.is_partial() && g.fill != 0) return std::nullopt;
    PartialAxes axes;
    for (DimId dim : g.dims) add_axes(axes.axes, split_of(types[0], dim));
    for (std::size_t i = 1; i < types.size(); ++i) {
      if (types[i].sharding.is_partial() || varies_along(types[i], types[0].sharding.partial)) {
        return std::nullopt;
      }
    }
    if (types[0].sharding.is_partial() && types[0].sharding.combine != Combine::sum) {
      return std::nullopt;
    }
    add_axes(axes.axes, types[0].sharding.partial);
    return axes;
  }
  Answer operator()(const ScatterAdd& s) const {
    return multilinear(types, 0, s.reduced, Combine::sum);
  }
  Answer operator()(const Put&) const { return none(); }
  Answer operator()(const Window&) const { return none(); }
  Answer operator()(const WindowAdd& w) const {
    return multilinear(types, 0, w.reduced, Combine::sum);
  }
  Answer operator()(const PrefixSum&) const { return none(); }
  Answer operator()(const TopPlaces&) const { return none(); }
  Answer operator()(const Concat&) const { return none(); }
  Answer operator()(const Shard&) const { return same(); }
  Answer operator()(const AllReduce&) const { return PartialAxes{}; }
  Answer operator()(const ReduceScatter& r) const {
    PartialAxes rest = partial_of_type(types[0]);
    std::erase(rest.axes, r.axis);
    return rest;
  }
  Answer operator()(const Await&) const { return same(); }
  Answer operator()(const AllGather&) const { return same(); }
  Answer operator()(const AllToAll&) const { return same(); }
  Answer operator()(const Permute&) const { return same(); }
  Answer operator()(const Read&) const { return none(); }
  Answer operator()(const Write&) const { return none(); }
  Answer operator()(const Feed&) const { return none(); }
  Answer operator()(const Fetch&) const { return none(); }
};

}  // namespace

std::optional<PartialAxes> partial_of(const InstructionKind& kind, const Types& operands,
                                      bool rounded) {
  return std::visit(PartialOf{operands, rounded}, kind);
}

}  // namespace mtfc::lowering
