#include "support/half_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mtfc::runtime {

float widen_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float widen_f16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  float magnitude = 0;
  if (exponent == 31)
    magnitude = mantissa != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  else
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t narrow_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

std::uint16_t narrow_f16(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float size = std::abs(value);
  if (std::isnan(value)) return sign | 0x7E00;
  if (size >= 65520) return sign | 0x7C00;  // rounds beyond the largest finite value
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);  // size = fraction * 2^exponent, 0.5 <= fraction < 1
  exponent = std::max(exponent, -13);
  // In units of the last place; a carry into the exponent is right as it stands.
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(size, 11 - exponent)));
  return static_cast<std::uint16_t>(sign | (units + ((exponent + 13) << 10)));
}

}  // namespace mtfc::runtime
