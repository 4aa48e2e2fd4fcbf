// mtfc explain: the page of a diagnostic, from docs/diagnostics, which is built into the program.
#include <algorithm>

#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/session/session.h"
#include "messages/explain.h"
#include "messages/table.h"
#include "messages/wrap.h"
#include "support/did_you_mean.h"

namespace mtfc::cli {
namespace {

int list_codes(Session& session) {
  std::vector<std::vector<std::string>> table;
  std::vector<std::string> rows;
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    table.push_back({std::string(kind.code), std::string(kind.summary)});
    rows.push_back(json_object({{"code", json(kind.code)}, {"summary", json(kind.summary)}}));
  }
  session.print(table_text(table, {"", {}, 0, output_columns()}));
  return session.finish(exit_done, {{"codes", json_array(rows)}});
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

int explain(Session& session) {
  if (session.options.names.empty()) return list_codes(session);
  const std::string wanted = upper(session.options.names.front());
  std::vector<std::string> codes;
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    codes.emplace_back(kind.code);
    if (kind.code != wanted && upper(std::string(kind.name)) != wanted) continue;
    const std::string summary = std::string(kind.code) + ": " + std::string(kind.summary) + "\n";
    const std::string text(explanation(kind.code).value_or(summary));
    session.print(wrapped_page(text, output_columns()));
    return session.finish(exit_done, {{"code", json(kind.code)}, {"text", json(text)}});
  }
  return session.usage_error("no diagnostic has the code `" + wanted + "`",
                             suggested(wanted, codes, "`mtfc explain` lists them"));
}

}  // namespace mtfc::cli
