#include "cli/run/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

using backends::Difference;

constexpr double loss_tolerance = 1e-5, default_tolerance = 1e-4;
constexpr double gross_difference = 0.1;
constexpr std::size_t rows_shown = 24, name_width = 36;

/// By how much a row is beyond what is allowed: first what differs, then what is far.
double weight(const VerifyRow& row) {
  const double far = row.own.relative / std::max(row.tolerance, 1e-300);
  return std::min(far, 1e100) + (row.differs() ? 1e100 : 0);  // in f64 alone, maybe
}

std::string_view verdict(const VerifyRow& row) {
  return row.differs() ? "DIFFERS" : row.far() && row.f64 ? "rounding" : "ok";
}

}  // namespace

bool VerifyRow::differs() const {
  if (!f64) return far();
  // One number that crosses zero before a relu, in one order of summation alone, is no mistake, and
  // nothing that f64 shows. A kernel of the model's own precision that is wrong shows here alone,
  // and in a tenth of a tensor, all elements together. What 16 bits do cannot be bounded.
  const bool gross = !half && own.kind != Difference::Kind::variable &&
                     own.overall > gross_difference && own.exceeds();
  return gross || f64->exceeds();
}

std::vector<VerifyRow> verify_rows(const std::vector<Difference>& own,
                                   const std::vector<Difference>& f64,
                                   std::optional<double> tolerance, bool half) {
  std::vector<VerifyRow> rows;
  for (const Difference& d : own) {
    VerifyRow& row = rows.emplace_back();
    row.own = d;
    row.half = half;
    row.tolerance =
        tolerance.value_or(d.kind == Difference::Kind::loss ? loss_tolerance : default_tolerance);
    for (const Difference& other : f64)
      if (other.kind == d.kind && other.name == d.name) row.f64 = other;
    if (d.kind == Difference::Kind::value && (!row.f64 || !row.differs())) rows.pop_back();
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const VerifyRow& a, const VerifyRow& b) { return a.own.kind < b.own.kind; });
  return rows;
}

std::string verify_table(std::vector<VerifyRow> rows) {
  const bool f64 = !rows.empty() && rows.front().f64;
  std::string text =
      fmt::format("{:{}}max|a-b|   relative{}\n", "", name_width + 4, f64 ? "     in f64" : "");
  std::string note;
  if (rows.size() > rows_shown) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const VerifyRow& a, const VerifyRow& b) { return weight(a) > weight(b); });
    note = "  (the " + std::to_string(rows_shown) + " largest of " + std::to_string(rows.size()) +
           "; --json has all)\n";
    rows.resize(rows_shown);
  }
  for (const VerifyRow& row : rows) {
    text += fmt::format("  {:<{}} {:9.2e}  {:9.2e}", shortened(row.own.name, name_width),
                        name_width, row.own.absolute, row.own.relative);
    if (f64) text += row.f64 ? fmt::format("  {:9.2e}", row.f64->relative) : std::string(11, ' ');
    text += fmt::format("  {}\n", verdict(row));
  }
  return text + note;
}

std::string verify_json(const std::vector<VerifyRow>& rows) {
  std::vector<std::string> items;
  for (const VerifyRow& row : rows) {
    JsonFields fields = {{"name", json(row.own.name)},
                         {"absolute", json(row.own.absolute)},
                         {"relative", json(row.own.relative)},
                         {"tolerance", json(row.tolerance)},
                         {"verdict", json(std::string(verdict(row)))},
                         {"ok", json(!row.differs())}};
    if (row.f64)
      fields.emplace_back("f64", json_object({{"absolute", json(row.f64->absolute)},
                                              {"relative", json(row.f64->relative)},
                                              {"allowed", json(row.f64->allowed)}}));
    const bool finite =
        std::isfinite(row.own.relative) && (!row.f64 || std::isfinite(row.f64->relative));
    if (!finite) fields.emplace_back("not_finite", "true");
    items.push_back(json_object(fields));
  }
  return json_array(items);
}

}  // namespace mtfc::cli
