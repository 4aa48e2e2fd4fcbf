#include "cli/reports/scale_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/reports/prediction_rows.h"
#include "support/figures.h"

namespace mtfc::cli {

using predict::Scaling;
using predict::ScalingPoint;

std::string scaling_table(const Scaling& scaling, const std::string& axis) {
  constexpr const char* row = "{:>7} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n";
  std::string text =
      fmt::format(row, shortened(axis, 7), "procs", "step", "compute", "exposed",
                  scaling.in_stages ? "waiting" : "hidden", "speed-up", "of ideal", "memory");
  bool all_fit = true;
  for (const ScalingPoint& point : scaling.points) {
    const predict::Prediction& p = point.prediction;
    all_fit = all_fit && p.fits();
    text += fmt::format(
        row, point.size, point.processors, duration(p.step), duration(point.computation()),
        duration(p.exposed), duration(scaling.in_stages ? point.waiting : p.hidden),
        fmt::format("{:.4g}", scaling.speedup(point)), percent(scaling.efficiency(point)),
        scaled(static_cast<double>(p.memory_needed.bytes), "B") + (p.fits() ? "" : " !"));
  }
  if (!all_fit)
    text += "\n! more than the " + scaled(scaling.points[0].prediction.memory_there, "B") +
            " of a chip\n";
  return text;
}

JsonFields scaling_json(const Scaling& scaling) {
  std::vector<std::string> points;
  for (const ScalingPoint& point : scaling.points) {
    const predict::Prediction& p = point.prediction;
    points.push_back(json_object({{"size", json(point.size)},
                                  {"processors", json(point.processors)},
                                  {"step_seconds", json(p.step)},
                                  {"computation_seconds", json(point.computation())},
                                  {"communication_exposed_seconds", json(p.exposed)},
                                  {"communication_hidden_seconds", json(p.hidden)},
                                  {"waiting_seconds", json(point.waiting)},
                                  {"speedup", json(scaling.speedup(point))},
                                  {"ideal", json(scaling.ideal(point))},
                                  {"efficiency", json(scaling.efficiency(point))},
                                  {"mfu", json(p.mfu())},
                                  {"memory", json(p.memory_needed.bytes)},
                                  {"fits", json(p.fits())}}));
  }
  return {{"scaling", json(scaling.weak ? "weak" : "strong")}, {"points", json_array(points)}};
}

plot::ScalingChart scaling_chart(const Scaling& scaling, const std::string& axis,
                                 const std::string& title) {
  const double there = scaling.points[0].prediction.memory_there;
  plot::ScalingChart chart{title, axis, there, scaled(there, "B"), {}};
  for (const ScalingPoint& point : scaling.points) {
    const predict::Prediction& p = point.prediction;
    chart.points.push_back({point.size, duration(p.step), point.computation(), p.exposed, p.hidden,
                            point.waiting, scaling.speedup(point), scaling.ideal(point),
                            static_cast<double>(p.memory_needed.bytes)});
  }
  return chart;
}

}  // namespace mtfc::cli
