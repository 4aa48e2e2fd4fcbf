#include "plot/marks.h"

#include <iterator>

namespace mtfc::plot {
namespace {

// Colours stand as they are, not as variables, which many programs that show SVG do not know.
constexpr const char* light_css = R"(
:root { color-scheme: light dark; }
text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f; }
.title { font-size: 17px; font-weight: 600; }
.tick { fill: #6a737d; font-variant-numeric: tabular-nums; }
.paper { fill: #ffffff; }
.grid { stroke: #e4e7ea; stroke-width: 1; }
.frame { stroke: #6a737d; stroke-width: 1; fill: none; }
.train { fill: none; stroke-width: 1.4; stroke-linejoin: round; }
.band { stroke: none; opacity: 0.22; }
.eval { fill: none; stroke-width: 2; stroke-dasharray: 6 4; stroke-linejoin: round; }
.dot { stroke: #ffffff; stroke-width: 1; }
)";
constexpr const char* dark_css = R"(
  text { fill: #e6e9ec; } .tick { fill: #98a2ad; } .paper { fill: #14181d; } .grid { stroke: #2b323a; }
  .frame { stroke: #98a2ad; } .dot { stroke: #14181d; }
)";

/// Attributes give the light colours of curves; on dark, rules find them by their values.
std::string css() {
  std::string rules;
  const auto replace = [&](const Colour& colour) {
    for (const char* property : {"stroke", "fill"})
      rules += std::string("  [") + property + "=\"" + colour.light + "\"] { " + property + ": " +
               colour.dark + "; }\n";
  };
  for (const Colour& colour : palette) replace(colour);
  replace(ink);
  return std::string(light_css) + "@media (prefers-color-scheme: dark) {" + dark_css + rules +
         "}\n";
}

}  // namespace

std::string text_at(double x, double y, const std::string& anchor, const std::string& kind,
                    const std::string& words) {
  return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\"" +
         (anchor.empty() ? "" : " text-anchor=\"" + anchor + "\"") +
         (kind.empty() ? "" : " class=\"" + kind + "\"") + ">" + escaped(words) + "</text>\n";
}

std::string line(const std::string& kind, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + kind + "\" x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) +
         "\" y2=\"" + px(y2) + "\"/>\n";
}

std::string coloured(const std::string& property, std::size_t number) {
  return " " + property + "=\"" + palette[number % std::size(palette)].light + "\"";
}
std::string inked(const std::string& property) { return " " + property + "=\"" + ink.light + "\""; }

std::string beside_axis(double middle, const std::string& words) {
  return "<text text-anchor=\"middle\" transform=\"translate(20 " + px(middle) +
         ") rotate(-90)\">" + escaped(words) + "</text>\n";
}

std::string picture(const std::string& title, double height, const std::string& body) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + px(width) + " " + px(height) +
         "\" width=\"" + px(width) + "\" height=\"" + px(height) + "\" role=\"img\">\n<title>" +
         escaped(title) + "</title>\n<style>" + css() +
         "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" +
         text_at(left, 36, "", "title", title) + body + "</svg>\n";
}

}  // namespace mtfc::plot
