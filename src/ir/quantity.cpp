#include "ir/quantity.h"

#include <array>
#include <charconv>
#include <cmath>

namespace mtfc {
namespace {

struct UnitRow {
  std::string_view text;
  Quantity::Kind kind;
  double factor;
};

constexpr std::array<UnitRow, 5> whole_units = {{{"s", Quantity::Kind::seconds, 1},
                                                 {"ms", Quantity::Kind::seconds, 1e-3},
                                                 {"us", Quantity::Kind::seconds, 1e-6},
                                                 {"ns", Quantity::Kind::seconds, 1e-9},
                                                 {"%", Quantity::Kind::share, 1e-2}}};
constexpr std::array<UnitRow, 8> prefixed_units = {{{"FLOPS/s", Quantity::Kind::flops, 1},
                                                    {"FLOPS", Quantity::Kind::flops, 1},
                                                    {"F/s", Quantity::Kind::flops, 1},
                                                    {"F", Quantity::Kind::flops, 1},
                                                    {"B/s", Quantity::Kind::bandwidth, 1},
                                                    {"B", Quantity::Kind::bytes, 1},
                                                    {"b/s", Quantity::Kind::bandwidth, 0.125},
                                                    {"b", Quantity::Kind::bytes, 0.125}}};

/// 1000 or 1024 to the power that a prefix means; 0 for what is none.
double prefix_factor(std::string_view prefix) {
  if (prefix.empty()) return 1;
  const bool binary = prefix.size() == 2 && prefix[1] == 'i';
  if (prefix.size() > 1 && !binary) return 0;
  constexpr std::string_view all = "KMGTP";
  const std::size_t power = prefix[0] == 'k' ? 0 : all.find(prefix[0]);
  if (power == all.npos) return 0;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

std::optional<UnitRow> read_unit(std::string_view text) {
  for (const UnitRow& unit : whole_units)
    if (unit.text == text) return unit;
  for (const UnitRow& unit : prefixed_units) {
    if (!text.ends_with(unit.text)) continue;
    const std::string_view prefix = text.substr(0, text.size() - unit.text.size());
    const bool counts_bytes = unit.text.front() == 'B';
    const double factor = prefix_factor(prefix);
    if (factor == 0 || (prefix.size() == 2 && !counts_bytes)) continue;
    return UnitRow{unit.text, unit.kind, unit.factor * factor};
  }
  return std::nullopt;
}

}  // namespace

bool is_unit(std::string_view unit) { return read_unit(unit).has_value(); }

std::string_view unit_of(std::string_view quantity) {
  const auto is_number = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  std::size_t i = 0;
  while (i < quantity.size() && is_number(quantity[i])) ++i;
  // An exponent belongs to the number if digits follow: 1e3GB.
  if (i + 1 < quantity.size() && (quantity[i] == 'e' || quantity[i] == 'E')) {
    std::size_t j = i + 1;
    if (quantity[j] == '+' || quantity[j] == '-') ++j;
    const std::size_t digits = j;
    while (j < quantity.size() && quantity[j] >= '0' && quantity[j] <= '9') ++j;
    if (j > digits) i = j;
  }
  return quantity.substr(i);
}

std::optional<Quantity> read_quantity(std::string_view text) {
  const std::string_view letters = unit_of(text);
  const std::string_view digits = text.substr(0, text.size() - letters.size());
  Quantity quantity;
  const char* end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, quantity.value);
  if (digits.empty() || failure != std::errc() || stop != end) return std::nullopt;
  if (!letters.empty()) {
    const std::optional<UnitRow> unit = read_unit(letters);
    if (!unit) return std::nullopt;
    quantity.kind = unit->kind;
    quantity.value *= unit->factor;
  }
  if (!std::isfinite(quantity.value)) return std::nullopt;
  return quantity;
}

std::string_view example(Quantity::Kind kind) {
  switch (kind) {
    case Quantity::Kind::number:
      return "8";
    case Quantity::Kind::flops:
      return "312TF";
    case Quantity::Kind::bytes:
      return "16GB";
    case Quantity::Kind::bandwidth:
      return "25GB/s";
    case Quantity::Kind::seconds:
      return "5us";
    case Quantity::Kind::share:
      return "70%";
  }
  return "";
}

}  // namespace mtfc
