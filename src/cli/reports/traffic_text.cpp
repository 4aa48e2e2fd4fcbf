#include "cli/reports/traffic_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cost/collective_groups.h"
#include "messages/wrap.h"
#include "support/figures.h"

namespace mtfc::cli {

std::string under_rules(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::vector<std::pair<std::string, std::string>> sections;
  for (const auto& [cause, row] : rows) {
    const auto of_cause = [&cause = cause](const auto& section) { return section.first == cause; };
    auto at = std::find_if(sections.begin(), sections.end(), of_cause);
    if (at == sections.end()) at = sections.insert(sections.end(), {cause, ""});
    at->second += row;
  }
  std::string text;
  for (const auto& [cause, below] : sections) {
    std::string rules = cause.empty() ? "no rule" : cause;
    // So that it can be wrapped.
    for (std::size_t at = 0; (at = rules.find(';', at)) != rules.npos;) rules.insert(++at, " ");
    text += "  " + wrapped("because of " + rules, {2, 4}) + "\n" + below;
  }
  return text;
}

std::string collective_name(const cost::CollectiveCost& collective, std::size_t width) {
  return name_at(collective.kind + " " + collective.axes + ", " + collective.phase,
                 collective.model_line(), width);
}

std::string traffic_text(const std::vector<cost::CollectiveCost>& collectives,
                         const predict::Prediction* prediction) {
  if (collectives.empty()) return "\nnothing is communicated\n";
  // Of names, and of figures.
  const std::size_t width = prediction ? 42 : 46, digits = prediction ? 8 : 10;
  constexpr const char* row = "    {:>5}  {:<{}} {:>{}} {:>{}}{}\n";
  const auto time = [](const std::string& text) { return fmt::format(" {:>8}", text); };
  std::vector<std::pair<std::string, std::string>> rows;
  for (const cost::CollectiveGroup& group : cost::grouped(collectives)) {
    double seconds = 0;
    if (prediction)
      for (const std::size_t i : group.members) seconds += prediction->collectives[i].seconds;
    rows.emplace_back(
        group.first.cause,
        fmt::format(
            row, group.count, collective_name(group.first, width), width,
            scaled(static_cast<double>(group.bytes) / static_cast<double>(group.count), "B"),
            digits, scaled(static_cast<double>(group.sent), "B"), digits,
            prediction ? time(duration(seconds)) : ""));
  }
  return "\n" +
         fmt::format(row, "calls", "collective", width, "each", digits, "sent", digits,
                     prediction ? time("time") : "") +
         under_rules(rows);
}

}  // namespace mtfc::cli
