// Decoding UTF-8, byte by byte and without trust.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mtfc {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
/// U+FFFD, for what is not a character.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;  // 1 if not valid
  bool valid = false;
};

/// The code point that begins at `offset`, which lies inside `text`. Overlong forms, surrogates
/// and values beyond U+10FFFF are not valid.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

/// The bytes of the character that `first` begins; 0: none begins with it.
std::size_t utf8_length(char first);
inline bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// "U+00E9"
std::string code_point_name(char32_t point);
/// The bytes of a valid code point.
std::string utf8_text(char32_t point);

/// The offset of the first byte that does not belong to valid UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// `text` with U+FFFD for each byte that does not belong to valid UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace mtfc
