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
