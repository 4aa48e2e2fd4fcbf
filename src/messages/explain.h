// The pages of docs/diagnostics, embedded at build time.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace mtfc {

struct DiagnosticPage {
  std::string_view code;  // "E101"
  std::string_view text;  // Markdown
};
const std::vector<DiagnosticPage>& diagnostic_pages();

/// What the page of `code` ("E101", in either case) says; absent if there is none.
std::optional<std::string_view> explanation(std::string_view code);

}  // namespace mtfc
