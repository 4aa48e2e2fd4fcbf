// Text as a terminal shows it: widths of code points, nothing that would move the cursor.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mtfc {

/// One code point of UTF-8 text as it is to be printed.
struct Glyph {
  std::size_t bytes = 1;    // taken from the text; 1 for a byte that is not UTF-8
  std::string_view shown;   // what to print; a stand-in for control characters and bad bytes
  std::size_t columns = 1;  // 0 for combining marks, 2 for wide ones
};

/// The glyph at `offset`, which lies inside `text`. A tab reaches to the next multiple of 4 from
/// `column`.
Glyph glyph_at(std::string_view text, std::size_t offset, std::size_t column);

/// The offset of the code point that ends right before `offset`, which is not 0.
std::size_t previous(std::string_view text, std::size_t offset);

std::size_t display_width(std::string_view text);

/// `text` with everything replaced that a terminal would obey instead of showing it.
std::string printable(std::string_view text);

}  // namespace mtfc
