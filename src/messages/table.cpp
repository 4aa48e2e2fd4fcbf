#include "messages/table.h"

#include <algorithm>

#include "messages/display.h"
#include "messages/wrap.h"

namespace mtfc {
namespace {

using TableRow = std::vector<std::string>;
constexpr std::string_view gap = "  ";
constexpr std::size_t least_name = 6;  // columns that the first one keeps

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t columns = display_width(text);
  const std::string blanks(width > columns ? width - columns : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::vector<std::size_t> column_widths(const std::vector<TableRow>& rows, std::size_t width) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  std::size_t total = gap.size() * (widths.size() - 1);
  for (std::size_t c = 0; c < widths.size(); ++c) {
    for (const TableRow& row : rows) widths[c] = std::max(widths[c], display_width(row[c]));
    total += widths[c];
  }
  if (width > 0 && total > width)
    widths[0] -= std::min(total - width, widths[0] - std::min(widths[0], least_name));
  return widths;
}

}  // namespace

std::string table_text(const std::vector<TableRow>& rows, const TableStyle& style) {
  if (rows.empty()) return "";
  const std::vector<std::size_t> widths = column_widths(rows, style.width);
  // Where the last cell of a row begins.
  std::size_t last = display_width(style.indent);
  for (std::size_t c = 0; c + 1 < widths.size(); ++c) last += widths[c] + gap.size();
  std::string table;
  for (const TableRow& row : rows) {
    table += style.indent;
    for (std::size_t c = 0; c < row.size(); ++c) {
      // A name that is too long has a line of its own: cut, two of them could look alike.
      const bool apart = c == 0 && display_width(row[c]) > widths[c];
      if (apart) table += row[c] + "\n" + style.indent;
      const std::string cell = apart ? "" : row[c];
      const bool right = std::find(style.right.begin(), style.right.end(), c) != style.right.end();
      if (c + 1 == row.size() && style.prose_width > 0)
        table += wrapped(cell, {last, last, style.prose_width}) + "\n";
      else if (c + 1 == row.size())
        table += (right ? padded(cell, widths[c], right) : cell) + "\n";
      else
        table += padded(cell, widths[c], right) + std::string(gap);
    }
  }
  return table;
}

}  // namespace mtfc
