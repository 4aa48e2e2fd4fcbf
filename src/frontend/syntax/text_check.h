// What is checked before a text is cut into tokens.
#pragma once
#include "messages/diagnostic.h"

namespace mtfc::syntax {

inline constexpr std::size_t max_text_bytes = std::size_t{16} << 20;

/// False, with a diagnostic, if the file is too large or is not UTF-8 text.
bool check_text(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

}  // namespace mtfc::syntax
