// How a step's time and memory change as one axis of the mesh grows.
#pragma once
#include <cstdint>
#include <vector>

#include "predict/predict.h"

namespace mtfc::predict {

struct ScalingPoint {
  std::int64_t size = 1;        // of the axis
  std::int64_t processors = 1;  // of the mesh
  Prediction prediction;        // of a pipeline, of a processor of an average stage
  double waiting = 0;           // of a pipeline, of its step: for other stages

  /// The step without waiting for communication and other stages.
  double computation() const { return prediction.step - prediction.exposed - waiting; }
};

/// The first point is what others are compared with.
struct Scaling {
  bool weak = false;  // the work grows with the axis; else (strong) it stays
  std::vector<ScalingPoint> points;
  bool in_stages = false;  // the points are pipelines

  /// How often as many processors there are as at first.
  double ideal(const ScalingPoint& point) const;
  /// How often as much is computed in the same time. Weak: the work is taken to grow as the axis.
  double speedup(const ScalingPoint& point) const;
  double efficiency(const ScalingPoint& point) const { return speedup(point) / ideal(point); }
};

}  // namespace mtfc::predict
