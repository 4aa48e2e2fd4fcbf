// Text in lines of a width.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtfc {

/// The words of a text; code in backticks stays in one piece, a line break is one of its own.
std::vector<std::string> pieces_of(std::string_view text);

struct WrapStyle {
  std::size_t column = 0;  // where the first line begins
  std::size_t indent = 0;  // of the lines after it
  std::size_t width = 80;
};
/// `text` with line breaks where it would pass the width. A piece that is longer than a line has
/// one of its own; nothing is cut.
std::string wrapped(std::string_view text, const WrapStyle& style);
/// A path for such a text: as it is, or in backticks, so that blanks in it stay as they are.
std::string in_one_piece(const std::string& path);
/// A page of paragraphs, each with lines of `width`; indented lines and headings stay as they are.
std::string wrapped_page(std::string_view page, std::size_t width);

}  // namespace mtfc
