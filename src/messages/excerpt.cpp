#include "messages/excerpt.h"

#include <algorithm>

#include "messages/display.h"

namespace mtfc {
namespace {

constexpr std::string_view dots = "...";

/// Where at most `columns` columns end that begin at `from`.
std::size_t forward(std::string_view line, std::size_t from, std::size_t columns) {
  std::size_t column = 0;
  std::size_t at = from;
  while (at < line.size()) {
    const Glyph glyph = glyph_at(line, at, column);
    if (column + glyph.columns > columns) break;
    column += glyph.columns;
    at += glyph.bytes;
  }
  return at;
}

/// Where at most `columns` columns begin that end at `from`.
std::size_t backward(std::string_view line, std::size_t from, std::size_t columns) {
  std::size_t at = from;
  for (std::size_t column = 0; at > 0;) {
    const std::size_t before = previous(line, at);
    column += std::max<std::size_t>(glyph_at(line, before, 0).columns, 1);
    if (column > columns) break;
    at = before;
  }
  return at;
}

/// The part to show of a line that is too long. Of a range that is itself too long the beginning
/// is shown.
ByteRange window(std::string_view line, ByteRange range, std::size_t columns) {
  const std::size_t room = columns > 2 * dots.size() ? columns - 2 * dots.size() : 1;
  if (forward(line, 0, room) >= range.end) return {0, forward(line, 0, room)};
  const std::size_t visible = std::min(range.end, forward(line, range.begin, room));
  const std::size_t taken = display_width(line.substr(range.begin, visible - range.begin));
  const std::size_t begin = backward(line, range.begin, (room - std::min(room, taken)) / 2);
  return {begin, forward(line, begin, room)};
}

std::string show(std::string_view line, ByteRange part) {
  std::string text;
  std::size_t column = 0;
  for (std::size_t at = part.begin; at < part.end;) {
    const Glyph glyph = glyph_at(line, at, column);
    text += glyph.shown;
    column += glyph.columns;
    at += glyph.bytes;
  }
  return text;
}

/// The column at which byte `offset` begins, counted from byte `from`.
std::size_t column_of(std::string_view line, std::size_t from, std::size_t offset) {
  return display_width(line.substr(from, offset - from));
}

}  // namespace

ByteRange Excerpt::columns(std::string_view line, ByteRange range) const {
  const std::size_t begin = std::clamp(range.begin, shown.begin, shown.end);
  const std::size_t end = std::clamp(range.end, begin, shown.end);
  const std::size_t indent = cut_before ? dots.size() : 0;
  const std::size_t first = indent + column_of(line, shown.begin, begin);
  const std::size_t last = indent + column_of(line, shown.begin, end);
  return {first, std::max(last, first + 1)};
}

Excerpt excerpt(std::string_view line, ByteRange range, std::size_t columns) {
  ByteRange part{0, line.size()};
  // A code point has at most 4 bytes: a longer line cannot fit, and need not be measured.
  if (line.size() > 4 * columns || display_width(line) > columns)
    part = window(line, range, columns);
  Excerpt cut{part, part.begin > 0, part.end < line.size(), show(line, part)};
  if (cut.cut_before) cut.text.insert(0, dots);
  if (cut.cut_after) cut.text += dots;
  return cut;
}

}  // namespace mtfc
