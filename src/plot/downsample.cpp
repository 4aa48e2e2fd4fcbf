#include "plot/downsample.h"

#include <algorithm>
#include <cmath>

namespace mtfc::plot {

Stretches thinned(const Curve& curve, double first, double last, int columns) {
  const double width = std::max((last - first) / columns, 1e-300);
  Stretches stretches;
  bool open = false;  // the last stretch may grow
  double column = 0, before = 0, steps = 0, sum = 0, count = 0;
  for (const Point& point : curve) {
    if (!std::isfinite(point.value) || (open && point.step <= before)) open = false;
    if (!std::isfinite(point.value)) continue;
    const double here = std::floor((point.step - first) / width);
    before = point.step;
    if (!open) stretches.emplace_back();
    if (!open || here != column) {
      stretches.back().push_back({point.step, point.value, point.value, point.value});
      steps = sum = count = 0;
    }
    open = true;
    column = here;
    Bin& bin = stretches.back().back();
    steps += point.step;
    sum += point.value;
    count += 1;
    bin = {steps / count, sum / count, std::min(bin.low, point.value),
           std::max(bin.high, point.value)};
  }
  return stretches;
}

}  // namespace mtfc::plot
