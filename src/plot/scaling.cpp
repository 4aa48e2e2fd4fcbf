#include "plot/scaling.h"

#include <algorithm>

#include "plot/axis.h"
#include "plot/marks.h"

namespace mtfc::plot {
namespace {

// In pixels of the picture, which scales as a whole.
constexpr double share_top = 84, share_height = 210, speedup_height = 250, memory_height = 130,
                 strip_gap = 40, legend_line = 24;
// Colours of the palette.
constexpr std::size_t computation_colour = 0, communication_colour = 1, speedup_colour = 2,
                      memory_colour = 3, waiting_colour = 4;

/// A strip of the picture. Points stand side by side, in order.
struct Strip {
  double top = 0, height = 0;
  std::size_t points = 1;

  /// Of this many points one has room for words.
  std::size_t words_every() const { return points / 12 + 1; }
  double column() const { return (width - left - right) / static_cast<double>(points); }
  double middle(std::size_t i) const { return left + column() * (static_cast<double>(i) + 0.5); }
  double bottom() const { return top + height; }
  /// Of a share of the height from below.
  double at(double share) const { return bottom() - share * height; }
};

std::string strip_axis(const Strip& strip, const std::vector<Tick>& ticks,
                       const std::string& what) {
  std::string svg;
  for (const Tick& tick : ticks)
    svg += line("grid", left, strip.at(tick.at), width - right, strip.at(tick.at)) +
           text_at(left - 8, strip.at(tick.at) + 4.5, "end", "tick", tick.label);
  return svg + beside_axis(strip.top + strip.height / 2, what);
}
std::string border(const Strip& strip) {
  return line("frame", left, strip.bottom(), width - right, strip.bottom());
}

/// Over column i, from one share of the height to another, in a share of the column's width.
std::string bar(const Strip& strip, std::size_t i, double from, double to, double share,
                const std::string& look) {
  const double wide = std::min(strip.column() * 0.66, 90.0) * share;
  const double high = (to - from) * strip.height;
  if (high < 0.05) return "";
  return "<rect x=\"" + px(strip.middle(i) - wide / 2) + "\" y=\"" + px(strip.at(to)) +
         "\" width=\"" + px(wide) + "\" height=\"" + px(high) + "\"" + look + "/>\n";
}

/// What is hidden stands within what hides it, with a line of paper around.
constexpr const char* outlined = " class=\"dot\"";

/// Where the step's time goes, as shares; how long it is stands above.
std::string shares(const ScalingChart& chart, const Strip& strip) {
  std::vector<Tick> ticks;
  for (const int percent : {0, 25, 50, 75, 100})
    ticks.push_back({percent / 100.0, std::to_string(percent) + " %"});
  std::string svg = strip_axis(strip, ticks, "time of a step");
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    const ScalingChart::Point& point = chart.points[i];
    const double step = std::max(point.computation + point.exposed + point.waiting, 1e-300);
    const double computed = point.computation / step, hidden = point.hidden / step,
                 communicated = computed + point.exposed / step;
    const std::string communication = coloured("fill", communication_colour);
    svg += bar(strip, i, 0, computed, 1, coloured("fill", computation_colour));
    svg += bar(strip, i, computed, communicated, 1, communication);
    svg += bar(strip, i, communicated, 1, 1, coloured("fill", waiting_colour));
    svg += bar(strip, i, std::max(0.0, computed - hidden), computed, 0.4, communication + outlined);
    if (i % strip.words_every() == 0)
      svg += text_at(strip.middle(i), strip.top - 7, "middle", "", point.step);
  }
  return svg + border(strip);
}

/// Two curves of one axis, from what has been shown to what would be ideal.
std::string speedups(const ScalingChart& chart, const Strip& strip) {
  Range range;
  for (const ScalingChart::Point& point : chart.points)
    for (const double value : {point.speedup, point.ideal})
      if (value > 0) range.add(value);
  if (range.empty) range.add(1);
  const Axis axis = Axis::logarithmic(range);
  std::string svg = strip_axis(strip, axis.ticks(), "speed-up (logarithmic)");
  const auto curve = [&](double ScalingChart::Point::*value, const std::string& look) {
    std::string path, dots;
    for (std::size_t i = 0; i < chart.points.size(); ++i) {
      if (!(chart.points[i].*value > 0)) continue;
      const double y = strip.at(axis.position(chart.points[i].*value));
      path += (path.empty() ? "M" : "L") + px(strip.middle(i)) + " " + px(y);
      dots += "<circle class=\"dot\" r=\"4\" cx=\"" + px(strip.middle(i)) + "\" cy=\"" + px(y) +
              "\"" + coloured("fill", speedup_colour) + "/>\n";
    }
    svg += "<path d=\"" + path + "\"" + look + "/>\n";
    if (value == &ScalingChart::Point::speedup) svg += dots;
  };
  curve(&ScalingChart::Point::ideal, " class=\"eval\"" + inked("stroke"));
  curve(&ScalingChart::Point::speedup,
        " class=\"train\" style=\"stroke-width:2.4\"" + coloured("stroke", speedup_colour));
  return svg + border(strip);
}

/// The chip's memory is drawn where what is held is not small beside it.
bool draws_chip(const ScalingChart& chart) {
  double most = 0;
  for (const ScalingChart::Point& point : chart.points) most = std::max(most, point.memory);
  return chart.memory_there > 0 && most > chart.memory_there / 8;
}

std::string memories(const ScalingChart& chart, const Strip& strip) {
  Range range;
  range.add(0);
  for (const ScalingChart::Point& point : chart.points) range.add(point.memory / 1e9);
  if (draws_chip(chart)) range.add(chart.memory_there / 1e9);
  const Axis axis = Axis::linear(range, 3, true);
  std::string svg = strip_axis(strip, axis.ticks(), "memory, GB");
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    svg += bar(strip, i, 0, axis.position(chart.points[i].memory / 1e9), 1,
               coloured("fill", memory_colour));
    if (i % strip.words_every() == 0)
      svg += text_at(strip.middle(i), strip.bottom() + 19, "middle", "tick",
                     std::to_string(chart.points[i].size));
  }
  if (draws_chip(chart)) {
    const double y = strip.at(axis.position(chart.memory_there / 1e9));
    svg += "<path class=\"eval\" d=\"M" + px(left) + " " + px(y) + "H" + px(width - right) + "\"" +
           inked("stroke") + "/>\n";
  }
  return svg + border(strip) +
         text_at((left + width - right) / 2, strip.bottom() + 42, "middle", "",
                 "processors along " + chart.axis);
}

bool waits(const ScalingChart& chart) {
  return std::any_of(chart.points.begin(), chart.points.end(),
                     [](const ScalingChart::Point& point) { return point.waiting > 0; });
}

struct LegendEntry {
  std::string look, words;
  double wide = 30;  // 0: a dashed line
};

std::string chart_legend(const ScalingChart& chart, double y) {
  const auto fill = [](std::size_t number) { return coloured("fill", number); };
  std::vector<LegendEntry> entries = {
      {fill(computation_colour), "computation"},
      {fill(communication_colour), "communication, exposed"},
      {fill(communication_colour) + outlined, "communication, hidden", 14},
      {fill(speedup_colour), "speed-up"},
      {fill(memory_colour), "memory of a processor"},
      {inked("stroke"), draws_chip(chart) ? "ideal; the chip's " + chart.chip : "ideal", 0}};
  if (waits(chart)) entries.push_back({fill(waiting_colour), "stages that wait"});
  std::string svg;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double x = left + static_cast<double>(i % 3) * 250,
                 at = y + static_cast<double>(i / 3) * legend_line;
    const double wide = entries[i].wide;
    svg += wide == 0
               ? "<path class=\"eval\" d=\"M" + px(x) + " " + px(at) + "h30\"" + entries[i].look +
                     "/>\n"
               : "<rect x=\"" + px(x + (30 - wide) / 2) + "\" y=\"" + px(at - 5) + "\" width=\"" +
                     px(wide) + "\" height=\"10\" rx=\"2\"" + entries[i].look + "/>\n";
    svg += text_at(x + 38, at + 4.5, "", "", entries[i].words);
  }
  return svg;
}

}  // namespace

std::string draw(const ScalingChart& chart) {
  const std::size_t points = chart.points.size();
  const Strip share{share_top, share_height, points};
  const Strip speedup{share.bottom() + strip_gap, speedup_height, points};
  const Strip memory{speedup.bottom() + strip_gap, memory_height, points};
  const double legend_top = memory.bottom() + 78;
  return picture(chart.title, legend_top + (waits(chart) ? 3 : 2) * legend_line,
                 shares(chart, share) + speedups(chart, speedup) + memories(chart, memory) +
                     chart_legend(chart, legend_top));
}

}  // namespace mtfc::plot
