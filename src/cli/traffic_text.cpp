#include "cli/traffic_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/figures.h"
#include "cost/collective_groups.h"

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
  for (const auto& [cause, below] : sections)
    text += "  because of " + (cause.empty() ? "no rule" : cause) + "\n" + below;
  return text;
}

std::string collective_name(const backends::CollectiveCost& collective, std::size_t width) {
  return name_at(collective.kind + " " + collective.axes + ", " + collective.phase,
                 collective.source, width);
}

std::string traffic_text(const std::vector<backends::CollectiveCost>& collectives) {
  if (collectives.empty()) return "\nnothing is communicated\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const backends::CollectiveGroup& group : backends::grouped(collectives))
    rows.emplace_back(
        group.first.cause,
        fmt::format(
            "    {:>5}  {:<46} {:>10} {:>10}\n", group.count, collective_name(group.first, 46),
            scaled(static_cast<double>(group.bytes) / static_cast<double>(group.count), "B"),
            scaled(static_cast<double>(group.sent), "B")));
  return fmt::format("\n  {:>7}  {:<44} {:>12} {:>10}\n", "calls", "collective", "bytes a call",
                     "sent") +
         under_rules(rows);
}

}  // namespace mtfc::cli
