#include <algorithm>
#include <cmath>

#include "draw/picture.h"
#include "plot/svg.h"

namespace mtfc::draw {
namespace {

using plot::escaped;
using plot::palette;
using plot::px;

// Pixels of a cell, and around the picture.
constexpr double cell_width = 8, cell_height = 19, margin = 16;

constexpr const char* light_css = R"(
:root { color-scheme: light dark; }
text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f; white-space: pre; }
.title { font-size: 14px; font-weight: 600; }
.faint { fill: #5d6670; }
.code { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; }
.paper { fill: #ffffff; }
.border { stroke: #6a737d; fill: none; }
.strong { stroke-width: 2.5; }
.line { stroke: #5d6670; fill: none; stroke-width: 1.4; }
.head { fill: #5d6670; }
)";
constexpr const char* dark_css = R"(
  text { fill: #e6e9ec; } .faint { fill: #a3adb8; } .paper { fill: #14181d; }
  .border { stroke: #98a2ad; } .line { stroke: #a3adb8; } .head { fill: #a3adb8; }
)";

constexpr int colours = static_cast<int>(std::size(palette));

std::string number(int colour) { return std::to_string(colour % colours); }

/// Of each colour: a tint behind text (f), a full area (a), a line (l) and its head (h).
std::string rules(bool dark) {
  std::string css;
  for (int i = 0; i < colours; ++i) {
    const std::string one = dark ? palette[i].dark : palette[i].light, n = std::to_string(i);
    css += ".f" + n + " { fill: " + one + "; fill-opacity: " + (dark ? "0.34" : "0.24") +
           "; stroke: " + one + "; } .a" + n + " { fill: " + one + "; } .l" + n +
           " { stroke: " + one + "; } .h" + n + " { fill: " + one + "; }\n";
  }
  return css;
}

std::string css() {
  return std::string(light_css) + rules(false) +
         "@media screen and (prefers-color-scheme: dark) {" + dark_css + rules(true) + "}\n";
}

/// A border runs through the middle of its characters, an area along their edges.
double at_x(double column, bool middle) {
  return margin + (column + (middle ? 0.5 : 0)) * cell_width;
}
double at_y(double row, bool middle) { return margin + (row + (middle ? 0.5 : 0)) * cell_height; }

/// Where areas touch, both end at the same whole pixel: no seams.
struct Rectangle {
  double x1, y1, x2, y2;
};
Rectangle rectangle_of(const Box& box) {
  const Rectangle exact{at_x(box.x, box.border), at_y(box.y, box.border),
                        at_x(box.x + box.width, box.border), at_y(box.y + box.height, box.border)};
  if (box.border) return exact;
  return {std::round(exact.x1), std::round(exact.y1), std::round(exact.x2), std::round(exact.y2)};
}

std::string svg_of(const Box& box) {
  std::string kind = box.border ? (box.fill < 0 ? "border" : "f" + number(box.fill))
                                : "a" + number(std::max(box.fill, 0));
  if (box.strong) kind += " strong";
  const Rectangle at = rectangle_of(box);
  const std::string begin = "<rect class=\"" + kind + "\" x=\"" + px(at.x1) + "\" y=\"" +
                            px(at.y1) + "\" width=\"" + px(at.x2 - at.x1) + "\" height=\"" +
                            px(at.y2 - at.y1) + "\"";
  if (box.tip.empty()) return begin + "/>\n";
  return begin + "><title>" + escaped(box.tip) + "</title></rect>\n";
}

/// A triangle at the end of a line.
std::string head_of(const Line& line, const std::string& kind) {
  constexpr double length = 8, half = 4;
  const double x = at_x(line.x2, true), y = at_y(line.y2, true);
  const double dx = line.x2 > line.x1 ? 1 : line.x2 < line.x1 ? -1 : 0;
  const double dy = dx != 0 ? 0 : line.y2 >= line.y1 ? 1 : -1;
  const auto point = [&](double along, double across) {
    return px(x + along * dx - across * dy) + " " + px(y + along * dy + across * dx);
  };
  return "<path class=\"" + kind + "\" d=\"M" + point(0, 0) + "L" + point(-length, half) + "L" +
         point(-length, -half) + "Z\"/>\n";
}

std::string svg_of(const Line& line) {
  const std::string colour = line.colour < 0 ? "" : " l" + number(line.colour);
  std::string svg = "<path class=\"line" + colour + "\" d=\"M" + px(at_x(line.x1, true)) + " " +
                    px(at_y(line.y1, true)) + "L" + px(at_x(line.x2, true)) + " " +
                    px(at_y(line.y2, true)) + "\"" +
                    (line.dashed ? " stroke-dasharray=\"5 4\"" : "") + "/>\n";
  if (line.arrow) svg += head_of(line, line.colour < 0 ? "head" : "h" + number(line.colour));
  return svg;
}

std::string svg_of(const Text& text) {
  const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  const char* styles[] = {"", " class=\"title\"", " class=\"faint\"", " class=\"code\""};
  const bool middle = text.anchor == Text::Anchor::middle;
  return "<text x=\"" + px(at_x(text.x, middle)) + "\" y=\"" +
         px(at_y(text.y, false) + 0.72 * cell_height) + "\"" +
         anchors[static_cast<int>(text.anchor)] + styles[static_cast<int>(text.style)] + ">" +
         escaped(text.text) + "</text>\n";
}

}  // namespace

std::string to_svg(const Picture& picture) {
  const double width = std::ceil(picture.width * cell_width + 2 * margin),
               height = std::ceil(picture.height * cell_height + 2 * margin);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + px(width) + " " +
                    px(height) + "\" width=\"" + px(width) + "\" height=\"" + px(height) +
                    "\" role=\"img\">\n<title>" + escaped(picture.title) + "</title>\n<style>" +
                    css() + "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  for (const bool strong : {false, true})  // above the borders of their neighbours
    for (const Box& box : picture.boxes)
      if (box.strong == strong) svg += svg_of(box);
  for (const Line& line : picture.lines) svg += svg_of(line);
  for (const Text& text : picture.texts) svg += svg_of(text);
  return svg + "</svg>\n";
}

}  // namespace mtfc::draw
