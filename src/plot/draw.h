// Curves of runs as an SVG picture: losses above, learning rates below, one colour a run.
#pragma once
#include <string>
#include <vector>

#include "plot/log.h"

namespace mtfc::plot {

struct Style {
  std::string title;
  bool log = false;  // a logarithmic axis for losses; what is not above 0 leaves gaps
};

/// A whole SVG file. Text is text, and colours follow the reader's light or dark scheme. At least
/// one run must have something that can be drawn.
std::string draw(const std::vector<RunCurves>& runs, const Style& style);

/// Whether draw() finds a value.
bool can_draw(const std::vector<RunCurves>& runs, const Style& style);

}  // namespace mtfc::plot
