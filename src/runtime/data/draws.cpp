#include "runtime/data/draws.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include "support/draw_key.h"

namespace mtfc::runtime {
namespace {

r123::Philox4x32::ctr_type block(std::uint64_t key, std::int64_t step, std::int64_t index) {
  const auto s = static_cast<std::uint64_t>(step), i = static_cast<std::uint64_t>(index);
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  return r123::Philox4x32{}({{low(i), high(i), low(s), high(s)}}, {{low(key), high(key)}});
}

/// In [0, 1), all 53 bits.
double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

}  // namespace

Draws::Draws(std::int64_t seed, std::string_view purpose)
    : key_(draw_key(static_cast<std::uint64_t>(seed), purpose)) {}

double Draws::uniform(std::int64_t step, std::int64_t index) const {
  const auto words = block(key_, step, index);
  return unit(words[0], words[1]);
}

float Draws::normal(std::int64_t step, std::int64_t index) const {
  const auto words = block(key_, step, index);
  const double radius = std::sqrt(-2 * std::log(1 - unit(words[0], words[1])));
  const double angle = 2 * std::numbers::pi * unit(words[2], words[3]);
  return static_cast<float>(radius * std::cos(angle));
}

std::int64_t Draws::integer(std::int64_t step, std::int64_t index, std::int64_t count) const {
  return static_cast<std::int64_t>(uniform(step, index) * static_cast<double>(count));
}

}  // namespace mtfc::runtime
