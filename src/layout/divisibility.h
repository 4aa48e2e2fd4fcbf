// Sizes that their mesh axis does not divide and that may not be padded (E401): the arithmetic and
// what to do about it.
#pragma once
#include <cstdint>
#include <string>

#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// "50257 = 29 * 1733", "7 is prime", "1 = 1".
std::string factorisation(std::int64_t size);

/// "0.09 %", "12.5 %", "less than 0.01 %".
std::string per_cent(double share);

/// Padding that makes `size` divisible by `parts`: to a multiple of 16 * parts where that costs
/// less than one per cent (room for wider meshes and fast kernels), else of `parts`.
struct Padding {
  std::int64_t size = 0;
  std::string multiple_of;  // "8 * 16"
  std::string waste;        // "0.09 %"
};
Padding padding(std::int64_t size, std::int64_t parts);

/// The size that is declared if this one is that of `dim`.
std::int64_t declared_size(const Dim& dim, std::int64_t size);

/// `dim` cannot be split over the mesh axes `axes` as `rule` wants. `shards`: what must divide it,
/// in all stages.
Diagnostic not_divisible(const Dim& dim, const LayoutRule& rule, const Mesh& mesh,
                         const std::vector<AxisId>& axes, std::int64_t shards,
                         const std::vector<std::string>& tensors);

}  // namespace mtfc::lowering
