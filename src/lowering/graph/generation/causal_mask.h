// What lies ahead: what is known of the elements (i, j) with j > i of values that have a dimension
// and a copy of it. A causal mask is one that is false there.
#pragma once
#include <optional>
#include <vector>

#include "ops/affine.h"

namespace mtfc::lowering {

/// `low`: below -10000, whatever a score adds to it; else exactly `value` (bool: 0 or 1).
struct Known {
  bool low = false;
  double value = 0;

  bool is(double v) const { return !low && value == v; }
};

/// By value; `affine` knows the graph.
std::vector<std::optional<Known>> find_ahead(const Graph& graph, const DimTable& dims,
                                             ops::AffineValues& affine, DimId dim, DimId copy);

}  // namespace mtfc::lowering
