// The lines of a text, without their ends.
#pragma once
#include <string>
#include <string_view>

namespace mtfc::runtime {

/// Splits one line off the front of `text`; a carriage return before the line's end is not part of
/// it.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// "`data/train.tsv`, line 17"
inline std::string line_location(const std::string& path, std::int64_t line) {
  return "`" + path + "`, line " + std::to_string(line);
}

}  // namespace mtfc::runtime
