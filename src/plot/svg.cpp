#include "plot/svg.h"

#include <charconv>

#include "support/utf8.h"

namespace mtfc::plot {

std::string px(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 1);
  return {text, end.ptr};
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid || point.value == 0xFFFE || point.value == 0xFFFF)
      safe += replacement_character;
    else if (point.value < 0x20 || point.value == 0x7F)
      safe += ' ';
    else if (point.value == '&')
      safe += "&amp;";
    else if (point.value == '<')
      safe += "&lt;";
    else if (point.value == '>')
      safe += "&gt;";
    else
      safe += text.substr(at, point.bytes);
    at += point.bytes;
  }
  return safe;
}

}  // namespace mtfc::plot
