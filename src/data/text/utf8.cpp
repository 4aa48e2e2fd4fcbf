#include "data/text/utf8.h"

#include <algorithm>
#include <cstdio>

namespace mtfc::runtime {
namespace {

/// The Unicode Standard, table 3-7: how long a sequence is by its first byte, and what the second
/// may be.
struct Lead {
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2 || byte > 0xF4) return {};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {4};
}

std::string utf8(std::uint32_t point) {
  std::string text;
  const auto part = [&](unsigned lead, int shift) {
    text += static_cast<char>(lead | ((point >> shift) & 0x3Fu));
  };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    part(0xC0, 6), part(0x80, 0);
  } else if (point < 0x10000) {
    part(0xE0, 12), part(0x80, 6), part(0x80, 0);
  } else {
    part(0xF0, 18), part(0x80, 12), part(0x80, 6), part(0x80, 0);
  }
  return text;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const Lead lead = lead_of(first);
  if (lead.length <= 1) return {first, lead.length};
  if (text.size() < lead.length) return {};
  std::uint32_t point = first & (0x7Fu >> lead.length);
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < (i == 1 ? lead.low : 0x80) || byte > (i == 1 ? lead.high : 0xBF)) return {};
    point = point << 6 | (byte & 0x3Fu);
  }
  return {point, lead.length};
}

std::size_t find_not_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint next = first_code_point(text.substr(i));
    if (next.length == 0) return i;
    i += next.length;
  }
  return text.npos;
}

std::string character_name(std::uint32_t point) {
  char name[16];
  std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(point));
  if (point <= 0x20 || (point >= 0x7F && point <= 0xA0)) return name;
  return "`" + utf8(point) + "` (" + name + ")";
}

std::vector<std::string> distinct_characters(std::span<const std::string_view> texts) {
  std::vector<bool> seen;  // by code point, as far as the texts reach
  for (std::string_view text : texts)
    while (!text.empty()) {
      const CodePoint next = first_code_point(text);
      if (next.value >= seen.size()) seen.resize(next.value + 1, false);
      seen[next.value] = true;
      text.remove_prefix(next.length);
    }
  std::vector<std::string> found;
  for (std::uint32_t point = 0; point < seen.size(); ++point)
    if (seen[point]) found.push_back(utf8(point));
  return found;
}

Result<std::string> read_text(const std::string& path) {
  const Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::size_t wrong = std::min(find_not_utf8(text), text.find('\0'));
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
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace mtfc::runtime
