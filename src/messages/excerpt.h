// A source line cut to what fits beside the guilty range.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mtfc {

struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A part of one line that fits a given number of columns.
struct Excerpt {
  ByteRange shown;          // bytes of the line
  bool cut_before = false;  // printed as "..."
  bool cut_after = false;
  std::string text;  // printable, with the dots of the cuts

  /// Where a range of the line's bytes stands under `text`; at least one column wide.
  ByteRange columns(std::string_view line, ByteRange range) const;
};

/// The whole line if it fits into `columns`, else the part around `range`. The work done does not
/// grow with the line.
Excerpt excerpt(std::string_view line, ByteRange range, std::size_t columns);

}  // namespace mtfc
