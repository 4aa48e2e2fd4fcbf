#include "support/table.h"

#include <algorithm>

#include "support/display.h"

namespace mtfc {
namespace {

using TableRow = std::vector<std::string>;
constexpr std::string_view gap = "  ";
constexpr std::size_t least_name = 12;  // columns that the first one keeps

/// The end of a path tells files apart.
std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::size_t end = text.size();
  while (end > 0 && display_width(std::string_view(text).substr(previous(text, end))) + 3 <= width)
    end = previous(text, end);
  return "..." + text.substr(end);
}

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
  std::string table;
  for (const TableRow& row : rows) {
    table += style.indent;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string cell = c == 0 && style.width > 0 ? shortened(row[c], widths[c]) : row[c];
      const bool right = std::find(style.right.begin(), style.right.end(), c) != style.right.end();
      if (c + 1 == row.size())
        table += (right ? padded(cell, widths[c], right) : cell) + "\n";
      else
        table += padded(cell, widths[c], right) + std::string(gap);
    }
  }
  return table;
}

}  // namespace mtfc
