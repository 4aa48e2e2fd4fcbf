#include "messages/display.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "support/utf8.h"

namespace mtfc {
namespace {

constexpr std::string_view blanks = "    ";

struct Range {
  char32_t first, last;
};

// Rough, but good enough to put carets under what people write in comments and strings.
constexpr Range wide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                          {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                          {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range invisible[] = {{0x0300, 0x036F}, {0x200B, 0x200D}, {0xFE00, 0xFE0F}};
// Directional overrides can make a line read as something else; they are shown as stand-ins.
constexpr Range unsafe[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x200E, 0x200F},
                            {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};

template <std::size_t N>
bool lies_in(const Range (&ranges)[N], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](Range r) { return r.first <= c && c <= r.last; });
}

}  // namespace

Glyph glyph_at(std::string_view text, std::size_t offset, std::size_t column) {
  if (text[offset] >= ' ' && text[offset] <= '~') return {1, text.substr(offset, 1), 1};
  if (text[offset] == '\t') return {1, blanks.substr(column % 4), 4 - column % 4};
  const CodePoint c = decode_utf8(text, offset);
  if (!c.valid || lies_in(unsafe, c.value)) return {c.bytes, replacement_character, 1};
  const std::size_t columns = lies_in(wide, c.value) ? 2 : lies_in(invisible, c.value) ? 0 : 1;
  return {c.bytes, text.substr(offset, c.bytes), columns};
}

std::size_t previous(std::string_view text, std::size_t offset) {
  const std::size_t earliest = offset < 4 ? 0 : offset - 4;
  for (std::size_t start = offset - 1; start + 1 > earliest; --start) {
    const CodePoint c = decode_utf8(text, start);
    if (c.valid && start + c.bytes == offset) return start;
    if (start == 0) break;
  }
  return offset - 1;
}

std::size_t display_width(std::string_view text) {
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Glyph glyph = glyph_at(text, i, column);
    column += glyph.columns;
    i += glyph.bytes;
  }
  return column;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const Glyph glyph = glyph_at(text, i, 0);
    shown += text[i] == '\n' ? std::string_view("\n") : glyph.shown;
    i += glyph.bytes;
  }
  return shown;
}

}  // namespace mtfc
