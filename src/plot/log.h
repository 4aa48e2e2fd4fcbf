// Training logs as curves.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mtfc::plot {

/// One value of a log; not a number where the log has none, which leaves a gap.
struct Point {
  double step = 0, value = 0;
};
using Curve = std::vector<Point>;

struct RunCurves {
  std::string name;
  Curve loss, eval_loss, rate;    // each in the order of the log
  std::int64_t broken = 0;        // lines that are no lines of a log
  std::int64_t first_broken = 0;  // the first of them, from 1

  bool empty() const { return loss.empty() && eval_loss.empty() && rate.empty(); }
};

/// Anything may be in the text. A line without its end is one that is being written, and is not
/// counted as broken.
RunCurves read_log(std::string_view text, std::string name);

}  // namespace mtfc::plot
