#include "messages/explain.h"

#include <algorithm>

namespace mtfc {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_code(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::optional<std::string_view> explanation(std::string_view code) {
  for (const DiagnosticPage& page : diagnostic_pages())
    if (same_code(page.code, code)) return page.text;
  return std::nullopt;
}

}  // namespace mtfc
