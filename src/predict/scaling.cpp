#include "predict/scaling.h"

namespace mtfc::predict {

double Scaling::ideal(const ScalingPoint& point) const {
  return static_cast<double>(point.size) / static_cast<double>(points.front().size);
}

double Scaling::speedup(const ScalingPoint& point) const {
  if (point.prediction.step <= 0) return 0;
  const double faster = points.front().prediction.step / point.prediction.step;
  return weak ? faster * ideal(point) : faster;
}

}  // namespace mtfc::predict
