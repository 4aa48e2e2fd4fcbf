// The value that stands where a kernel has nothing to read.
#pragma once
#include <cstdint>

#include "kernels/element_loops.h"

namespace mtfc::runtime {

/// As an element of this type, in the first bytes.
inline std::uint64_t fill_bits(DType dtype, double fill) {
  const auto type = static_cast<int>(dtype);
  double value = 0;  // in its block representation, of at most 8 bytes
  std::uint64_t bits = 0;
  blocks().casts[type][static_cast<int>(Repr::f64)](&value, &fill, 1);
  blocks().stores[type](&bits, &value, 1);
  return bits;
}

}  // namespace mtfc::runtime
