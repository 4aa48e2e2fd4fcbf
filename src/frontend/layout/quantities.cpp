#include "frontend/layout/quantities.h"

#include <algorithm>
#include <array>

namespace mtfc::layout {
namespace {

constexpr std::array<std::string_view, 7> plain = {"s", "ms", "us", "ns", "W", "kW", "%"};
constexpr std::array<std::string_view, 5> counted = {"F", "FLOPS", "B", "b", "Hz"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool is_unit(std::string_view unit) {
  if (is_one_of(unit, plain)) return true;
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  if (is_one_of(unit, counted)) return true;
  constexpr std::string_view prefixes = "kKMGTP";
  if (unit.empty() || prefixes.find(unit.front()) == prefixes.npos) return false;
  unit.remove_prefix(1);
  return is_one_of(unit, counted) || unit == "iB";
}

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

}  // namespace mtfc::layout
