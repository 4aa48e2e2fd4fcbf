// Elements of host tensors as numbers, whatever their type. For reports and files, not for speed.
#pragma once
#include <cstdint>

#include "support/host_tensor.h"

namespace mtfc::runtime {

double element(const HostTensor& tensor, std::int64_t at);
/// Rounded to the tensor's type (i32: toward zero).
void set_element(HostTensor& tensor, std::int64_t at, double value);

/// Exact.
float widen_f16(std::uint16_t bits);
float widen_bf16(std::uint16_t bits);

/// Rounded to nearest, ties to even.
std::uint16_t narrow_f16(float value);
std::uint16_t narrow_bf16(float value);

/// A copy in another type, each element rounded.
HostTensor converted(const HostTensor& tensor, DType to);

/// A copy with the same values in f32: how bf16, which NumPy lacks, goes to files.
HostTensor widened(const HostTensor& tensor);

}  // namespace mtfc::runtime
