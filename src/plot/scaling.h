// How a step scales with an axis of the mesh, as an SVG picture: where its time goes, how much
// faster it becomes, and what a processor holds.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mtfc::plot {

struct ScalingChart {
  struct Point {
    std::int64_t size = 1;                            // of the axis
    std::string step;                                 // how long a step takes, for people
    double computation = 0, exposed = 0, hidden = 0;  // seconds; the step without the third,
    double waiting = 0;                               // and with this, of stages for each other
    double speedup = 1, ideal = 1;
    double memory = 0;  // bytes of a processor
  };
  std::string title, axis;
  double memory_there = 0;  // bytes of a chip
  std::string chip;         // the same for people
  std::vector<Point> points;
};

/// A whole SVG file, in colours that follow the reader's light or dark scheme. At least one point.
std::string draw(const ScalingChart& chart);

}  // namespace mtfc::plot
