#include "cli/reports/peak_text.h"

#include <fmt/core.h>

#include "support/figures.h"

namespace mtfc::cli {

namespace {

constexpr std::size_t most_alive = 10, what_columns = 40;

std::string bytes_text(std::int64_t number) { return scaled(static_cast<double>(number), "B"); }

/// "backward of library/nn.mtf:19"
std::string moment_of(const cost::MemoryPeak& peak) {
  const std::string of = peak.source.empty() ? "" : " of " + peak.source;
  return peak.instruction.empty() ? peak.program : peak.phase + of;
}

}  // namespace

std::string peak_table(const cost::MemoryPeak& peak) {
  if (peak.alive.empty()) return "";
  std::string text = "\nalive at the peak of memory, in " + moment_of(peak) + "\n";
  constexpr const char* row = "  {:>8}  {:>5}  {:<19}  {}\n";
  text += fmt::format(row, "bytes", "count", "role", "what");
  std::int64_t others = 0, count = 0;
  for (std::size_t i = 0; i < peak.alive.size(); ++i) {
    const cost::Alive& one = peak.alive[i];
    if (i >= most_alive) {
      others += one.bytes;
      count += one.count;
      continue;
    }
    text += fmt::format(row, bytes_text(one.bytes), one.count, name(one.role),
                        name_at(one.name, one.source, what_columns));
  }
  if (count > 0) text += fmt::format(row, bytes_text(others), count, "", "others (--json has all)");
  return text;
}

}  // namespace mtfc::cli
