#include "lowering/graph/generation/position_sum.h"

#include <algorithm>

namespace mtfc::lowering {

double PositionSum::factor(DimId dim) const {
  const auto it = factors.find(dim);
  return it == factors.end() ? 0 : it->second;
}

PositionSum PositionSum::plus(const PositionSum& other, double times) const {
  PositionSum sum = *this;
  sum.constant += times * other.constant;
  for (const auto& [dim, factor] : other.factors) sum.factors[dim] += times * factor;
  return sum;
}

namespace {

void widen(Range& range, double factor, double least, double most) {
  range.low += std::min(factor * least, factor * most);
  range.high += std::max(factor * least, factor * most);
}

double last(const DimTable& dims, DimId dim) { return static_cast<double>(dims.size(dim) - 1); }

using Found = std::vector<std::optional<PositionSum>>;

std::optional<PositionSum> scaled(const std::optional<PositionSum>& a,
                                  const std::optional<PositionSum>& b) {
  for (const auto& [constant, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!constant || !other || !constant->factors.empty()) continue;
    return PositionSum{}.plus(*other, constant->constant);
  }
  return std::nullopt;
}

/// A rename moves the factor.
std::optional<PositionSum> renamed(const PositionSum& x, const std::vector<DimGroup>& groups) {
  PositionSum result{x.constant, {}};
  for (const auto& [dim, factor] : x.factors) {
    DimId name = dim;
    for (const DimGroup& g : groups) {
      if (!contains(g.from, dim)) continue;
      if (g.from.size() > 1 || g.to.size() > 1) return std::nullopt;
      name = g.to[0];
    }
    result.factors[name] += factor;
  }
  return result;
}

std::optional<PositionSum> affine_of(const Operation& op, const Graph& graph, const Found& found) {
  const auto arg = [&](std::size_t i) -> const std::optional<PositionSum>& {
    return found[op.operands[i].at()];
  };
  if (op.op == "index") return PositionSum{0, {{op.attrs.dims("dim")[0], 1}}};
  if (op.op == "constant") return PositionSum{op.attrs.number("value"), {}};
  if (op.op == "add" || op.op == "sub") {
    if (!arg(0) || !arg(1)) return std::nullopt;
    return arg(0)->plus(*arg(1), op.op == "add" ? 1 : -1);
  }
  if (op.op == "mul") return scaled(arg(0), arg(1));
  if (op.op == "neg" && arg(0)) return PositionSum{}.plus(*arg(0), -1);
  if (op.op == "broadcast") return arg(0);
  if (op.op == "cast" && graph.at(op.results[0]).type.dtype != DType::boolean) return arg(0);
  if (op.op == "view" && arg(0)) return renamed(*arg(0), op.attrs.groups("groups"));
  return std::nullopt;
}

}  // namespace

Range range_of(const PositionSum& affine, const DimTable& dims) {
  Range range{affine.constant, affine.constant};
  for (const auto& [dim, factor] : affine.factors) widen(range, factor, 0, last(dims, dim));
  return range;
}

Range range_ahead(const PositionSum& affine, const DimTable& dims, DimId earlier, DimId later) {
  // index(later) = index(earlier) + distance, and the distance is at least 1.
  Range range{affine.constant, affine.constant};
  const double n = last(dims, earlier);
  widen(range, affine.factor(earlier) + affine.factor(later), 0, std::max(n - 1, 0.0));
  widen(range, affine.factor(later), 1, std::max(n, 1.0));
  for (const auto& [dim, factor] : affine.factors)
    if (dim != earlier && dim != later) widen(range, factor, 0, last(dims, dim));
  return range;
}

std::vector<std::optional<PositionSum>> find_position_sums(const Graph& graph) {
  Found found(graph.values.size());
  for (const Operation& op : graph.ops)
    if (op.results.size() == 1) found[op.results[0].at()] = affine_of(op, graph, found);
  return found;
}

}  // namespace mtfc::lowering
