// Positions as sums: numbers, floats included, that are affine in the indices of dimensions, and
// how large they get.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace mtfc::lowering {

/// constant + sum of factor * index(dimension).
struct PositionSum {
  double constant = 0;
  std::map<DimId, double> factors;

  double factor(DimId dim) const;
  PositionSum plus(const PositionSum& other, double times) const;
};

/// The smallest and the largest value.
struct Range {
  double low = 0, high = 0;
};
Range range_of(const PositionSum& affine, const DimTable& dims);
/// The same where index(later) > index(earlier); the two dimensions are equally long.
Range range_ahead(const PositionSum& affine, const DimTable& dims, DimId earlier, DimId later);

/// By value: what it is, if it is affine in indices.
std::vector<std::optional<PositionSum>> find_position_sums(const Graph& graph);

}  // namespace mtfc::lowering
