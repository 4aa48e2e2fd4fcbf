// Tables for people: columns as wide as what stands in them.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mtfc {

struct TableStyle {
  std::string indent;              // before each row
  std::vector<std::size_t> right;  // columns whose cells end at the same place, as numbers do
  std::size_t width = 0;           // of a row at most; the first column gives way, a longer name
                                   // has a line of its own; 0: any
  std::size_t prose_width = 0;     // of a row whose last cell, prose, is wrapped; 0: it is not
};

/// A line for each row, two blanks between columns; the last column is not filled up. Widths are
/// those that a terminal shows.
std::string table_text(const std::vector<std::vector<std::string>>& rows,
                       const TableStyle& style = {});

}  // namespace mtfc
