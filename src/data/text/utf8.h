// UTF-8, strictly: no surrogates, nothing longer than it need be.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/read_file.h"

namespace mtfc::runtime {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // in bytes; 0: not UTF-8
};

/// The code point at the start of `text`, which must not be empty.
CodePoint first_code_point(std::string_view text);

/// Where `text` stops being UTF-8; npos if it does not.
std::size_t find_not_utf8(std::string_view text);

/// "U+00E9", with the character itself where it can be seen: "`é` (U+00E9)".
std::string character_name(std::uint32_t code_point);

/// The characters of these texts, each once, in the order of their code points. The texts must be
/// UTF-8.
std::vector<std::string> distinct_characters(std::span<const std::string_view> texts);

/// A text file, decompressed if need be, without a byte-order mark. Not UTF-8, or NUL inside: an
/// Error with the line and the byte.
Result<std::string> read_text(const std::string& path);

}  // namespace mtfc::runtime
