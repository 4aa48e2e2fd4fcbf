#include "runtime/files/elements.h"

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

double element(const HostTensor& tensor, std::int64_t at) {
  switch (tensor.dtype) {
    case DType::f32:
      return tensor.as<float>()[at];
    case DType::f64:
      return tensor.as<double>()[at];
    case DType::f16:
      return widen_f16(tensor.as<std::uint16_t>()[at]);
    case DType::bf16:
      return widen_bf16(tensor.as<std::uint16_t>()[at]);
    case DType::i32:
      return tensor.as<std::int32_t>()[at];
    case DType::boolean:
      return tensor.as<std::uint8_t>()[at] != 0 ? 1 : 0;
  }
  return 0;
}

HostTensor widened(const HostTensor& tensor) {
  HostTensor wide = HostTensor::zeros(DType::f32, tensor.extents);
  for (std::int64_t i = 0; i < wide.elements(); ++i)
    wide.as<float>()[i] = static_cast<float>(element(tensor, i));
  return wide;
}

}  // namespace mtfc::runtime
