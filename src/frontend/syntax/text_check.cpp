#include "frontend/syntax/text_check.h"

#include <cstdio>

#include "support/utf8.h"

namespace mtfc::syntax {
namespace {

Span byte_at(FileId file, std::size_t offset) {
  const auto at = static_cast<std::uint32_t>(offset);
  return {file, at, at + 1};
}

std::string megabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

std::string hexadecimal(char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02X",
                static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return text;
}

/// By its mark, or a zero beside each of the first characters.
bool is_utf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  const auto zeros = [&](std::size_t from) {
    for (std::size_t i = from; i < 8; i += 2)
      if (text[i] != '\0' || text[i ^ 1U] == '\0') return false;
    return true;
  };
  return text.size() >= 8 && (zeros(0) || zeros(1));
}

}  // namespace

bool check_text(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  const std::string& text = sources.text(file);
  if (text.size() > max_text_bytes) {
    diagnostics.report(
        diag(DiagKind::file_too_large,
             "this file has " + megabytes(text.size()) + ", the limit is 16 MB")
            .at(byte_at(file, 0))
            .note("weights and data belong into files of their own, which `data` reads"));
    return false;
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    if (is_utf16(text))
      diagnostics.report(diag(DiagKind::not_text, sources.path(file) + " is UTF-16, not UTF-8")
                             .help("save it as UTF-8; `iconv -f UTF-16 -t UTF-8` converts it"));
    else
      diagnostics.report(diag(DiagKind::not_text, "this file is not text: it contains a zero byte")
                             .at(byte_at(file, nul), "here")
                             .help("save it as UTF-8"));
    return false;
  }
  if (const auto bad = first_invalid_utf8(text)) {
    diagnostics.report(diag(DiagKind::not_text, "this file is not UTF-8 text: the byte " +
                                                    hexadecimal(text[*bad]) +
                                                    " does not belong there")
                           .at(byte_at(file, *bad), "not UTF-8 from here")
                           .help("save it as UTF-8"));
    return false;
  }
  return true;
}

}  // namespace mtfc::syntax
