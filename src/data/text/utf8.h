// Texts of characters: files of them, and which there are.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/read_file.h"

namespace mtfc::runtime {

/// "U+00E9", with the character itself where it can be seen: "`é` (U+00E9)".
std::string character_name(char32_t code_point);

/// The characters of these texts, each once, in the order of their code points. The texts must be
/// UTF-8.
std::vector<std::string> distinct_characters(std::span<const std::string_view> texts);

/// A text file, decompressed if need be, without a byte-order mark. Not UTF-8, or NUL inside: an
/// Error with the line and the byte.
Result<std::string> read_text(const std::string& path);

}  // namespace mtfc::runtime
