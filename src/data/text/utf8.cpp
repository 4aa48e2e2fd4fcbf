#include "data/text/utf8.h"

#include <algorithm>

#include "support/utf8.h"

namespace mtfc::runtime {
std::string character_name(char32_t point) {
  const std::string name = code_point_name(point);
  if (point <= 0x20 || (point >= 0x7F && point <= 0xA0)) return name;
  return "`" + utf8_text(point) + "` (" + name + ")";
}

std::vector<std::string> distinct_characters(std::span<const std::string_view> texts) {
  std::vector<bool> seen;  // by code point, as far as the texts reach
  for (std::string_view text : texts)
    while (!text.empty()) {
      const CodePoint next = decode_utf8(text, 0);
      if (next.value >= seen.size()) seen.resize(next.value + 1, false);
      seen[next.value] = true;
      text.remove_prefix(next.bytes);
    }
  std::vector<std::string> found;
  for (char32_t point = 0; point < seen.size(); ++point)
    if (seen[point]) found.push_back(utf8_text(point));
  return found;
}

Result<std::string> read_text(const std::string& path) {
  const Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  std::string text(text_of(*bytes));
  const std::size_t wrong = std::min(first_invalid_utf8(text).value_or(text.npos), text.find('\0'));
  if (wrong != text.npos) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(wrong), '\n');
    const std::string what =
        text[wrong] == '\0' ? " is not text, it holds a NUL" : " is not UTF-8 text";
    return Error{"`" + path + "`" + what + ": see line " + std::to_string(line + 1) + ", byte " +
                     std::to_string(wrong) + " of the file",
                 {},
                 {}};
  }
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

}  // namespace mtfc::runtime
