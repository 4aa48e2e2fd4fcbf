// 16-bit floating-point numbers as bits.
#pragma once
#include <cstdint>

namespace mtfc::runtime {

/// Exact.
float widen_f16(std::uint16_t bits);
float widen_bf16(std::uint16_t bits);

/// Rounded to nearest, ties to even.
std::uint16_t narrow_f16(float value);
std::uint16_t narrow_bf16(float value);

}  // namespace mtfc::runtime
