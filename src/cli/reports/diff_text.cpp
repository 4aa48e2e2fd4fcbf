#include "cli/reports/diff_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/reports/traffic_text.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

constexpr std::size_t most_lines = 10, most_collectives = 20;

/// "+12.5 %", "x 3.4", "new", "gone": from a to b.
std::string change_text(double a, double b) {
  if (a == b) return "";
  if (a == 0) return "new";
  if (b == 0) return "gone";
  if (b / a >= 2) return fmt::format("x {:.3g}", b / a);
  return fmt::format("{:+.3g} %", 100 * (b - a) / a);
}

/// A row where the two differ.
std::string part_row(const std::string& what, double a, double b, const char* unit) {
  return a == b ? "" : difference_row("  " + what, a, b, unit);
}

std::string totals_of_both(const cost::Cost& a, const cost::Cost& b) {
  std::string text =
      fmt::format("  {:<24} {:>14} {:>14} {:>12}\n", "per processor", "a", "b", "a to b");
  if (a.processors != b.processors)
    text += difference_row("processors", static_cast<double>(a.processors),
                           static_cast<double>(b.processors), "");
  text += difference_row("work", a.flops_per_processor, b.flops_per_processor, "FLOP");
  text += part_row("duplicated", a.repeated_flops(), b.repeated_flops(), "FLOP");
  text += difference_row("memory", static_cast<double>(a.memory_per_processor()),
                         static_cast<double>(b.memory_per_processor()), "B");
  for (const cost::MemoryRole role : cost::all_memory_roles)
    text += part_row(std::string(name(role)), static_cast<double>(a.peak.in_use(role)),
                     static_cast<double>(b.peak.in_use(role)), "B");
  text += part_row("not in use at the peak", static_cast<double>(a.peak.unused),
                   static_cast<double>(b.peak.unused), "B");
  text += difference_row("sent", static_cast<double>(a.sent_per_processor()),
                         static_cast<double>(b.sent_per_processor()), "B");
  return text + difference_row("collectives", static_cast<double>(a.collectives.size()),
                               static_cast<double>(b.collectives.size()), "");
}

/// "12 x 131 kB": calls, and what each sends on average.
std::string calls_text(std::int64_t count, std::int64_t sent) {
  if (count == 0) return "-";
  return fmt::format("{} x {}", count,
                     scaled(static_cast<double>(sent) / static_cast<double>(count), "B"));
}

std::string and_more(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format("  and {} more (--json has all)\n", all - shown) : "";
}

std::string collectives_of_both(const std::vector<cost::CollectiveDifference>& all) {
  if (all.empty()) return "";
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::size_t i = 0; i < std::min(all.size(), most_collectives); ++i)
    rows.emplace_back(all[i].first.cause,
                      fmt::format("    {:<46} {:>14} {:>14}\n", collective_name(all[i].first, 46),
                                  calls_text(all[i].count.a, all[i].sent.a),
                                  calls_text(all[i].count.b, all[i].sent.b)));
  return fmt::format("\n  {:<48} {:>14} {:>14}\n", "collectives, each sends on average", "a", "b") +
         under_rules(rows) + and_more(all.size(), most_collectives);
}

std::string both_text(double a, double b) {
  if (a == b) return a == 0 ? "" : "same";
  return scaled(a, "") + " -> " + scaled(b, "");
}

std::string lines_of_both(const std::vector<cost::LineDifference>& all, const std::string& title) {
  if (all.empty()) return "";
  constexpr const char* row = "  {:<21} {:>18} {:>18} {:>18}\n";
  std::string text = "\n" + fmt::format(row, title, "FLOPs", "bytes sent", "memory");
  for (std::size_t i = 0; i < std::min(all.size(), most_lines); ++i) {
    const cost::LineDifference& one = all[i];
    text += fmt::format(
        row, one.source.empty() ? "(no line)" : source_in(one.source, 21),
        both_text(one.flops.a, one.flops.b),
        both_text(static_cast<double>(one.sent.a), static_cast<double>(one.sent.b)),
        both_text(static_cast<double>(one.memory.a), static_cast<double>(one.memory.b)));
  }
  return text + and_more(all.size(), most_lines);
}

}  // namespace

std::string difference_row(const std::string& what, double a, double b, const char* unit) {
  return fmt::format("  {:<24} {:>14} {:>14} {:>12}\n", what, scaled(a, unit), scaled(b, unit),
                     change_text(a, b));
}

std::string origins_text(const cost::CostDifference& difference, const std::string& of_lines) {
  return collectives_of_both(difference.collectives) + lines_of_both(difference.lines, of_lines);
}

std::string diff_text(const cost::Cost& a, const cost::Cost& b,
                      const cost::CostDifference& difference) {
  if (difference.same) return "they compute, send and hold the same\n";
  return totals_of_both(a, b) + origins_text(difference, "line");
}

}  // namespace mtfc::cli
