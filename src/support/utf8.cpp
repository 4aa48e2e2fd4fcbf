#include "support/utf8.h"

#include <cstdio>

namespace mtfc {
namespace {

struct Lead {
  std::size_t bytes;
  char32_t bits;
  char32_t smallest;  // anything below is overlong
};

Lead lead_of(unsigned char c) {
  if (c < 0x80) return {1, c, 0};
  if (c >= 0xC2 && c < 0xE0) return {2, static_cast<char32_t>(c & 0x1F), 0x80};
  if (c >= 0xE0 && c < 0xF0) return {3, static_cast<char32_t>(c & 0x0F), 0x800};
  if (c >= 0xF0 && c < 0xF5) return {4, static_cast<char32_t>(c & 0x07), 0x10000};
  return {0, 0, 0};
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  const Lead lead = lead_of(static_cast<unsigned char>(text[offset]));
  if (lead.bytes == 0 || offset + lead.bytes > text.size()) return {};
  char32_t value = lead.bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const auto c = static_cast<unsigned char>(text[offset + i]);
    if (begins_character(text[offset + i])) return {};
    value = value << 6 | (c & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value < lead.smallest || value > 0x10FFFF || surrogate) return {};
  return {value, lead.bytes, true};
}

std::size_t utf8_length(char first) { return lead_of(static_cast<unsigned char>(first)).bytes; }

std::string code_point_name(char32_t point) {
  char name[16];
  std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(point));
  return name;
}

std::string utf8_text(char32_t point) {
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

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const CodePoint c = decode_utf8(text, i);
    if (!c.valid) return i;
    i += c.bytes;
  }
  return std::nullopt;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (const std::optional<std::size_t> bad = first_invalid_utf8(text)) {
    valid += text.substr(0, *bad);
    valid += replacement_character;
    text.remove_prefix(*bad + 1);
  }
  return valid.append(text);
}

}  // namespace mtfc
