#include "cli/run/profile_text.h"

#include <fmt/core.h>

#include "support/figures.h"
#include "support/json.h"

namespace mtfc::cli {
namespace {

using cost::Work;
using trace::TimeRow;
using trace::TimeTable;

constexpr std::size_t name_columns = 37;
constexpr double least_share = 0.005;  // of the step, to have a row of its own
constexpr Phase phases[] = {Phase::forward, Phase::recompute, Phase::backward, Phase::update};
constexpr const char* line_form = "  {:<{}} {:>5} {:>9} {:>5} {:>12} {:>5}";

double rate(double amount, const TimeRow& row) {
  return row.seconds > 0 ? amount / row.seconds : 0;
}

/// Of a product its FLOP/s against those that the machine reaches, of others the bytes against
/// those of its memory: more than 1 where caches have them. 0: not known.
double share_of_peak(const TimeRow& row, const std::optional<predict::Chip>& chip) {
  if (!chip) return 0;
  const bool product = row.kind == Work::Kind::product;
  const double peak = product ? chip->peak(row.dtype) : chip->bandwidth;
  return peak > 0 ? rate(product ? row.flops : row.bytes, row) / peak : 0;
}

std::string share_text(double share) {
  return share > 0 ? fmt::format("{:.0f}%", 100 * share) : "";
}

std::string rate_text(const TimeRow& row) {
  if (row.seconds <= 0) return "";
  if (row.kind == Work::Kind::product) return scaled(rate(row.flops, row), "FLOP/s");
  return row.bytes > 0 ? scaled(rate(row.bytes, row), "B/s") : "";
}

std::string text_line(const std::string& name, const std::string& calls, double seconds,
                      double step, const std::string& rate = "", const std::string& peak = "") {
  std::string line =
      fmt::format(line_form, name, name_columns, calls, fmt::format("{:.3f}", 1e3 * seconds),
                  fmt::format("{:.0f}%", 100 * seconds / step), rate, peak);
  return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

std::string phase_text(const TimeTable& table, Phase phase,
                       const std::optional<predict::Chip>& chip) {
  double all = 0, small = 0;
  std::int64_t small_calls = 0, calls = 0;
  std::string rows;
  for (const TimeRow& row : table.rows) {
    if (row.phase != phase) continue;
    all += row.seconds;
    calls += row.calls;
    if (row.seconds < least_share * table.seconds) {
      small += row.seconds;
      small_calls += row.calls;
    } else {
      rows += text_line("  " + name_at(row.what, row.line, name_columns - 2),
                        std::to_string(row.calls), row.seconds, table.seconds, rate_text(row),
                        share_text(share_of_peak(row, chip)));
    }
  }
  if (calls == 0) return "";
  if (small_calls > 0)
    rows +=
        text_line("  others (--json has all)", std::to_string(small_calls), small, table.seconds);
  return text_line(std::string(name(phase)), std::to_string(calls), all, table.seconds) + rows;
}

}  // namespace

std::string time_table_text(const TimeTable& table, const std::optional<predict::Chip>& chip) {
  if (table.steps == 0) return "";
  const std::string among = table.steps == 1
                                ? "the only one that was measured"
                                : fmt::format("the median of {} after the first", table.steps - 1);
  std::string text =
      fmt::format("\nstep {}, {}: {:.3f} ms\n", table.step, among, 1e3 * table.seconds);
  text += fmt::format(line_form, "", name_columns, "calls", "ms", "time", "rate", "peak") + "\n";
  double named = 0;
  for (const TimeRow& row : table.rows) named += row.seconds;
  for (const Phase phase : phases) text += phase_text(table, phase, chip);
  text += text_line("feeds, and between instructions", "", table.seconds - named, table.seconds);
  return text + (chip ? "  peak: of products or memory, as `mtfc bench-hardware` measured it\n"
                      : "  peak: once `mtfc bench-hardware` has measured this machine\n");
}

std::string time_table_json(const TimeTable& table, const std::optional<predict::Chip>& chip) {
  std::vector<std::string> rows;
  for (const TimeRow& row : table.rows) {
    JsonFields fields = {{"instruction", json(row.what)},
                         {"line", json(row.line)},
                         {"phase", json(name(row.phase))},
                         {"calls", json(row.calls)},
                         {"seconds", json(row.seconds)},
                         {"flops", json(row.flops)},
                         {"bytes", json(row.bytes)},
                         {"flops_per_second", json(rate(row.flops, row))},
                         {"bytes_per_second", json(rate(row.bytes, row))}};
    if (chip) fields.emplace_back("share_of_peak", json(share_of_peak(row, chip)));
    rows.push_back(json_object(fields));
  }
  return json_object({{"steps", json(table.steps)},
                      {"step", json(table.step)},
                      {"step_seconds", json(table.seconds)},
                      {"rows", json_array(rows)}});
}

}  // namespace mtfc::cli
