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
  const double bad = row.differs() ? 1e100 : row.in_both() != NotFinite::none ? 1e90 : 0;
  return std::min(far, 1e80) + bad;  // which may be in f64 alone
}

std::string verdict(const VerifyRow& row) {
  if (row.differs()) return "DIFFERS";
  if (row.in_both() != NotFinite::none) return std::string(name(row.in_both())) + " in both";
  return row.far() && row.f64 ? "rounding" : "ok";
}

/// Without figures where something is no number: they are those of the rest, if there is any.
std::string row_text(const VerifyRow& row, bool f64) {
  const std::string begin =
      fmt::format("  {:<{}} ", shortened(row.own.name, name_width), name_width);
  if (!row.differs() && row.in_both() != NotFinite::none) return begin + verdict(row) + "\n";
  std::string text = begin + fmt::format("{:9.2e}  {:9.2e}", row.own.absolute, row.own.relative);
  if (f64) text += row.f64 ? fmt::format("  {:9.2e}", row.f64->relative) : std::string(11, ' ');
  return text + fmt::format("  {}\n", verdict(row));
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

bool VerifyRow::proves_nothing() const {
  return !differs() && own.must_be_finite && (f64 ? f64->both : own.both) != NotFinite::none;
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
  for (const VerifyRow& row : rows) text += row_text(row, f64);
  return text + note;
}

std::string verify_json(const std::vector<VerifyRow>& rows) {
  std::vector<std::string> items;
  for (const VerifyRow& row : rows) {
    JsonFields fields = {{"name", json(row.own.name)},
                         {"absolute", json(row.own.absolute)},
                         {"relative", json(row.own.relative)},
                         {"tolerance", json(row.tolerance)},
                         {"verdict", json(verdict(row))},
                         {"ok", json(!row.differs() && !row.proves_nothing())}};
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
