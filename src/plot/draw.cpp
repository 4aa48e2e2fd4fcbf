#include "plot/draw.h"

#include <algorithm>
#include <cmath>

#include "plot/axis.h"
#include "plot/downsample.h"
#include "plot/marks.h"
#include "plot/svg.h"

namespace mtfc::plot {
namespace {

// In pixels of the picture, which scales as a whole.
constexpr double top = 64, loss_height = 340, rate_height = 110, between = 46, below = 62,
                 legend_row = 22;

/// A rectangle of the picture with its axes.
struct Panel {
  double top = 0, height = 0;
  Axis x, y;
  double at_x(double step) const { return left + x.position(step) * (width - left - right); }
  double at_y(double value) const { return top + (1 - y.position(value)) * height; }
};

std::string axes(const Panel& panel, const std::string& what, bool steps) {
  std::string svg;
  const double bottom = panel.top + panel.height, end = width - right;
  for (const Tick& tick : panel.y.ticks()) {
    const double y = bottom - tick.at * panel.height;
    svg += line("grid", left, y, end, y) + text_at(left - 8, y + 4.5, "end", "tick", tick.label);
  }
  for (const Tick& tick : panel.x.ticks()) {
    const double x = left + tick.at * (end - left);
    svg += line("grid", x, panel.top, x, bottom);
    if (steps) svg += text_at(x, bottom + 19, "middle", "tick", tick.label);
  }
  svg += "<rect class=\"frame\" x=\"" + px(left) + "\" y=\"" + px(panel.top) + "\" width=\"" +
         px(end - left) + "\" height=\"" + px(panel.height) + "\"/>\n";
  const double middle = panel.top + panel.height / 2;
  svg += beside_axis(middle, what);
  if (steps) svg += text_at((left + end) / 2, bottom + 42, "middle", "", "training step");
  return svg;
}

/// "M x y L x y ..." through the means.
std::string path_of(const Panel& panel, const std::vector<Bin>& bins) {
  std::string path;
  for (const Bin& bin : bins)
    path += (path.empty() ? "M" : "L") + px(panel.at_x(bin.step)) + " " + px(panel.at_y(bin.mean));
  // A point alone has a length of nothing: shown as a round dot by its cap.
  return bins.size() == 1 ? path + "h0.1" : path;
}

/// The area between the extremes, if there is one.
std::string band_of(const Panel& panel, const std::vector<Bin>& bins) {
  std::string there, back;
  bool any = false;
  for (const Bin& bin : bins) {
    any = any || bin.high > bin.low;
    const std::string x = px(panel.at_x(bin.step)) + " ";
    there += (there.empty() ? "M" : "L") + x + px(panel.at_y(bin.high));
    back = "L" + x + px(panel.at_y(bin.low)) + back;
  }
  return any ? there + back + "Z" : "";
}

/// What of a curve the axes can show; what they cannot leaves gaps.
Stretches shown(const Panel& panel, Curve curve, const Range& steps) {
  for (Point& point : curve)
    if (!panel.y.can_label(point.value)) point.value = NAN;
  return thinned(curve, steps.low, steps.high, static_cast<int>(width - left - right));
}

std::string solid(const Panel& panel, const Curve& curve, const Range& steps, std::size_t run) {
  std::string svg;
  for (const std::vector<Bin>& bins : shown(panel, curve, steps)) {
    const std::string band = band_of(panel, bins);
    if (!band.empty())
      svg += "<path class=\"band\" d=\"" + band + "\"" + coloured("fill", run) + "/>\n";
    svg += "<path class=\"train\" stroke-linecap=\"round\" d=\"" + path_of(panel, bins) + "\"" +
           coloured("stroke", run) + "/>\n";
  }
  return svg;
}

std::string dashed(const Panel& panel, const Curve& curve, const Range& steps, std::size_t run) {
  std::string svg;
  for (const std::vector<Bin>& bins : shown(panel, curve, steps)) {
    svg += "<path class=\"eval\" d=\"" + path_of(panel, bins) + "\"" + coloured("stroke", run) +
           "/>\n";
    if (bins.size() > 120) continue;  // dots would touch
    for (const Bin& bin : bins)
      svg += "<circle class=\"dot\" r=\"3.2\" cx=\"" + px(panel.at_x(bin.step)) + "\" cy=\"" +
             px(panel.at_y(bin.mean)) + "\"" + coloured("fill", run) + "/>\n";
  }
  return svg;
}

std::string legend(const std::vector<RunCurves>& runs, double y) {
  std::string svg;
  const auto entry = [&](double x, const std::string& kind, const std::string& stroke,
                         const std::string& words) {
    svg += "<path class=\"" + kind + "\" d=\"M" + px(x) + " " + px(y) + "h30\"" + stroke + "/>\n" +
           text_at(x + 38, y + 4.5, "", "", words);
  };
  const std::string black = inked("stroke");
  const auto any = [&](Curve RunCurves::*curve) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const RunCurves& run) { return !(run.*curve).empty(); });
  };
  if (any(&RunCurves::loss)) entry(left, "train", black, "training");
  if (any(&RunCurves::eval_loss)) entry(left + 120, "eval", black, "evaluation");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    y += legend_row;
    svg += "<rect x=\"" + px(left) + "\" y=\"" + px(y - 4) +
           "\" width=\"30\" height=\"8\" rx=\"2\"" + coloured("fill", i) + "/>\n" +
           text_at(left + 38, y + 4.5, "", "", runs[i].name);
  }
  return svg;
}

struct Ranges {
  Range steps, losses, rates;
};

Ranges ranges_of(const std::vector<RunCurves>& runs, bool log) {
  Ranges ranges;
  for (const RunCurves& run : runs) {
    for (const Curve* curve : {&run.loss, &run.eval_loss, &run.rate})
      for (const Point& point : *curve) {
        if (!std::isfinite(point.value)) continue;
        const bool is_rate = curve == &run.rate;
        if (log && !is_rate && !(point.value > 0)) continue;
        ranges.steps.add(point.step);
        (is_rate ? ranges.rates : ranges.losses).add(point.value);
      }
  }
  return ranges;
}

}  // namespace

bool can_draw(const std::vector<RunCurves>& runs, const Style& style) {
  return !ranges_of(runs, style.log).steps.empty;
}

std::string draw(const std::vector<RunCurves>& runs, const Style& style) {
  Ranges ranges = ranges_of(runs, style.log);
  if (ranges.rates.low > 0) ranges.rates.low = 0;  // rates are seen from nothing
  const Axis x = Axis::linear(ranges.steps, 7, false);
  std::vector<std::string> panels;
  double y = top;
  const auto finish = [&](const Panel& panel, const std::string& what, bool last) {
    panels.push_back(axes(panel, what, last));
    y = panel.top + panel.height;
  };
  const bool rates = !ranges.rates.empty, losses = !ranges.losses.empty;
  if (losses) {
    const Panel panel{
        y, loss_height, x,
        style.log ? Axis::logarithmic(ranges.losses) : Axis::linear(ranges.losses, 6, true)};
    finish(panel, style.log ? "loss (logarithmic)" : "loss", !rates);
    for (std::size_t i = 0; i < runs.size(); ++i)
      panels.push_back(solid(panel, runs[i].loss, ranges.steps, i));
    for (std::size_t i = 0; i < runs.size(); ++i)
      panels.push_back(dashed(panel, runs[i].eval_loss, ranges.steps, i));
  }
  if (rates) {
    const Panel panel{losses ? y + between : y, rate_height, x,
                      Axis::linear(ranges.rates, 3, true)};
    finish(panel, "learning rate", true);
    for (std::size_t i = 0; i < runs.size(); ++i)
      panels.push_back(solid(panel, runs[i].rate, ranges.steps, i));
  }
  const double legend_top = y + below + 12;
  const double height = legend_top + legend_row * static_cast<double>(runs.size()) + 20;
  std::string body;
  for (const std::string& panel : panels) body += panel;
  return picture(style.title, height, body + legend(runs, legend_top));
}

}  // namespace mtfc::plot
