#include "lowering/graph/generation/causal_mask.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/literals.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

using Maybe = std::optional<Known>;
using Args = std::vector<Maybe>;

constexpr double kLow = -1e4;

Maybe exactly(double value) { return Known{false, value}; }
Maybe exactly(bool value) { return Known{false, value ? 1.0 : 0.0}; }

bool is(const Maybe& m, double value) { return m && m->is(value); }
bool low(const Maybe& m) { return m && m->low; }
bool exact(const Maybe& m) { return m && !m->low; }

Maybe lowered(double value) { return value <= kLow ? Maybe(Known{true, value}) : std::nullopt; }

/// exp, sigmoid and their like: 0 for all that is as low as a mask's constant.
bool vanishes_below(ScalarOp op) {
  const auto zero_at = [op](double x) { return evaluate(op, DType::f64, x) == 0; };
  return arity(op) == 1 && zero_at(kLow) && zero_at(-std::numeric_limits<double>::infinity());
}

/// Where a mask's constant meets something that is not known: a score, a maximum of scores.
Maybe with_low(ScalarOp op, const Args& a) {
  switch (op) {
    case ScalarOp::add: {
      const Maybe &x = low(a[0]) ? a[0] : a[1], &c = low(a[0]) ? a[1] : a[0];
      return c ? lowered(x->value + c->value) : x;
    }
    case ScalarOp::sub:
      if (!low(a[0]) || low(a[1])) return std::nullopt;
      return a[1] ? lowered(a[0]->value - a[1]->value) : a[0];
    case ScalarOp::mul:
    case ScalarOp::div: {
      const Maybe &x = low(a[0]) ? a[0] : a[1], &c = low(a[0]) ? a[1] : a[0];
      if (is(c, 0)) return op == ScalarOp::mul || low(a[1]) ? exactly(0.0) : std::nullopt;
      if (!exact(c) || c->value <= 0 || low(a[1]) == (op == ScalarOp::div)) return std::nullopt;
      return lowered(op == ScalarOp::mul ? x->value * c->value : x->value / c->value);
    }
    case ScalarOp::min:
      return low(a[0]) ? a[0] : a[1];
    case ScalarOp::max:
      return low(a[0]) && low(a[1]) ? a[0] : std::nullopt;
    case ScalarOp::cast:
      return a[0];
    default:
      return vanishes_below(op) ? exactly(0.0) : std::nullopt;
  }
}

/// Where one operand decides.
Maybe decided(ScalarOp op, const Args& a) {
  switch (op) {
    case ScalarOp::mul:
    case ScalarOp::logical_and:
      return is(a[0], 0) || is(a[1], 0) ? exactly(0.0) : std::nullopt;
    case ScalarOp::logical_or:
      return is(a[0], 1) || is(a[1], 1) ? exactly(1.0) : std::nullopt;
    case ScalarOp::div:
      return is(a[0], 0) && !a[1] ? exactly(0.0) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Both operands, of this type, are known exactly.
Maybe computed(ScalarOp op, DType dtype, double x, double y) {
  const double value = evaluate(op, dtype, x, y);
  return std::isfinite(value) ? exactly(value) : std::nullopt;
}

/// x op y where x - y lies in a range.
Maybe compared(ScalarOp op, ops::Range d) {
  switch (op) {
    case ScalarOp::lt:
      return d.high < 0 ? exactly(true) : d.low >= 0 ? exactly(false) : std::nullopt;
    case ScalarOp::le:
      return d.high <= 0 ? exactly(true) : d.low > 0 ? exactly(false) : std::nullopt;
    case ScalarOp::gt:
      return d.low > 0 ? exactly(true) : d.high <= 0 ? exactly(false) : std::nullopt;
    case ScalarOp::ge:
      return d.low >= 0 ? exactly(true) : d.high < 0 ? exactly(false) : std::nullopt;
    case ScalarOp::eq:
      return d.low > 0 || d.high < 0 ? exactly(false) : std::nullopt;
    case ScalarOp::ne:
      return d.low > 0 || d.high < 0 ? exactly(true) : std::nullopt;
    default:
      return std::nullopt;
  }
}

class Finder {
 public:
  Finder(const Graph& graph, const DimTable& dims, ops::AffineValues& affine, DimId dim, DimId copy)
      : graph_(graph),
        dims_(dims),
        affine_(affine),
        dim_(dim),
        copy_(copy),
        known_(graph.values.size()) {}

  std::vector<Maybe> run() {
    for (const Operation& op : graph_.ops)
      if (op.results.size() == 1) known_[op.results[0].at()] = of(op);
    return std::move(known_);
  }

 private:
  const Maybe& arg(const Operation& op, std::size_t i) const { return known_[op.operands[i].at()]; }

  Maybe of(const Operation& op) const {
    if (const double* constant = ops::constant_value(op)) {
      const double value = *constant;
      const bool floats = is_float(graph_.at(op.results[0]).type.dtype);
      return floats && value <= kLow ? lowered(value) : exactly(value);
    }
    if (const auto& scalar = ops::op_of(op).scalar) return elementwise(op, *scalar);
    if (op.operands.empty()) return std::nullopt;
    const ops::Factors factors = ops::op_of(op).factors(op, graph_);
    for (const ops::Factor& f : factors.list)
      if (!keeps(f)) return std::nullopt;
    return along_others(op, factors.combine);
  }

  Maybe elementwise(const Operation& op, ScalarOp scalar) const {
    if (op.operands.size() == 2) {
      const ops::AffineForm *x = affine_.find(op.operands[0]), *y = affine_.find(op.operands[1]);
      if (x && y)
        if (Maybe m = compared(scalar, ops::range_ahead(x->plus(*y, -1), dims_, dim_, copy_)))
          return m;
    }
    Args args;
    for (std::size_t i = 0; i < op.operands.size(); ++i) args.push_back(arg(op, i));
    if (scalar == ScalarOp::select) {
      if (exact(args[0])) return args[0]->value != 0 ? args[1] : args[2];
      const bool alike = args[1] && args[2] && args[1]->low == args[2]->low;
      return alike && (args[1]->low || args[1]->value == args[2]->value) ? args[1] : std::nullopt;
    }
    if (args.size() == 1) args.emplace_back(exactly(0.0));
    if (low(args[0]) || low(args[1])) return with_low(scalar, args);
    if (Maybe m = decided(scalar, args)) return m;
    if (!exact(args[0]) || !exact(args[1])) return std::nullopt;
    const DType dtype = graph_.at(op.operands[0]).type.dtype;
    return computed(scalar, dtype, args[0]->value, args[1]->value);
  }

  /// True if the two dimensions go through the operation as they are.
  bool keeps(const ops::Factor& f) const {
    const auto ours = [&](DimId dim) { return dim == dim_ || dim == copy_; };
    bool touched = ours(f.result);
    for (DimId dim : f.operands) touched = touched || ours(dim);
    return !touched || f.role == ops::Role::parallel || f.role == ops::Role::created;
  }

  /// What combines and copies along other dimensions.
  Maybe along_others(const Operation& op, Combine combine) const {
    const ops::Kind kind = ops::op_of(op).kind;
    if (kind == ops::Kind::copy) return arg(op, 0);
    if (kind != ops::Kind::combine) return std::nullopt;
    for (std::size_t i = 0; i < op.operands.size(); ++i)
      if (is(arg(op, i), 0)) return arg(op, i);
    const bool one = op.operands.size() == 1;
    return one && (combine != Combine::sum || low(arg(op, 0))) ? arg(op, 0) : std::nullopt;
  }

  const Graph& graph_;
  const DimTable& dims_;
  ops::AffineValues& affine_;
  const DimId dim_, copy_;
  std::vector<Maybe> known_;
};

}  // namespace

std::vector<std::optional<Known>> find_ahead(const Graph& graph, const DimTable& dims,
                                             ops::AffineValues& affine, DimId dim, DimId copy) {
  return Finder(graph, dims, affine, dim, copy).run();
}

}  // namespace mtfc::lowering
