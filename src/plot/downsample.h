// Curves with more points than a picture has columns, brought to its resolution.
#pragma once
#include <vector>

#include "plot/log.h"

namespace mtfc::plot {

/// What stands in one column: the mean and the extremes of its values.
struct Bin {
  double step = 0, mean = 0, low = 0, high = 0;
};
/// Stretches without gaps. A step that does not grow begins a new one.
using Stretches = std::vector<std::vector<Bin>>;

/// `columns` over the steps from `first` to `last`.
Stretches thinned(const Curve& curve, double first, double last, int columns);

}  // namespace mtfc::plot
