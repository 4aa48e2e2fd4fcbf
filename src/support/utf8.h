// Decoding UTF-8, byte by byte and without trust.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mtfc {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;  // 1 if not valid
  bool valid = false;
};

/// The code point that begins at `offset`, which lies inside `text`. Overlong forms, surrogates
/// and values beyond U+10FFFF are not valid.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

/// The offset of the first byte that does not belong to valid UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// `text` with U+FFFD for each byte that does not belong to valid UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace mtfc
