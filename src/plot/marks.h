// What charts are drawn of: lines, words, and the sheet with its colours for light and dark.
#pragma once
#include <string>

#include "plot/svg.h"

namespace mtfc::plot {

// In pixels of a picture, which scales as a whole: its width, and the margins of a chart's strips.
inline constexpr double width = 860, left = 78, right = 24;

/// Of what stands for all runs, or for none.
inline constexpr Colour ink{"#24292f", "#e6e9ec"};

/// `anchor`: "start", "middle", "end", "" as by default; `kind`: a class of the sheet.
std::string text_at(double x, double y, const std::string& anchor, const std::string& kind,
                    const std::string& words);
std::string line(const std::string& kind, double x1, double y1, double x2, double y2);
/// ` fill="..."`: a colour of the palette as an attribute.
std::string coloured(const std::string& property, std::size_t number);
std::string inked(const std::string& property);
/// Words beside an axis, from below to above.
std::string beside_axis(double middle, const std::string& words);

/// A whole SVG file. Its classes: title, tick, grid, frame; train, band, eval, dot of curves.
std::string picture(const std::string& title, double height, const std::string& body);

}  // namespace mtfc::plot
