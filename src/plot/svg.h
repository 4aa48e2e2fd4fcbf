// What pictures in SVG have in common: colours for light and dark, numbers, text.
#pragma once
#include <string>

namespace mtfc::plot {

/// A colour on light paper and on dark.
struct Colour {
  const char *light, *dark;
};
/// Okabe and Ito's colours, which people with colour-blindness tell apart, lighter on dark.
inline constexpr Colour palette[] = {
    {"#0072b2", "#5ab4f0"}, {"#d55e00", "#ff8c42"}, {"#009e73", "#34d0a2"}, {"#aa4499", "#e08ad6"},
    {"#b07d00", "#e8c14a"}, {"#1a94c8", "#9ad8f5"}, {"#882255", "#f07ba0"}, {"#555555", "#b8bec5"}};

/// A number with one digit behind the point.
std::string px(double value);
/// Text for XML: names come from files, and nothing of them may become markup.
std::string escaped(const std::string& text);

}  // namespace mtfc::plot
