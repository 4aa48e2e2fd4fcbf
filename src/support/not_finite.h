// Numbers that are NaN or infinite, among many.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/dtype.h"
#include "support/host_tensor.h"

namespace mtfc {

/// In the order of how bad they are.
enum class NotFinite : std::uint8_t { none, infinite, not_a_number };

/// The worst of `count` elements side by side; none for types that are not floats.
NotFinite worst_of(DType dtype, const void* elements, std::int64_t count);
/// Of a block of them at the beginning of memory of these extents, row by row.
NotFinite worst_of_block(DType dtype, const void* elements,
                         const std::vector<std::int64_t>& extents,
                         const std::vector<std::int64_t>& block);
inline NotFinite worst_of(const runtime::HostTensor& tensor) {
  return worst_of(tensor.dtype, tensor.data.data(), tensor.elements());
}

/// "not a number" or "infinite".
const char* name(NotFinite kind);

}  // namespace mtfc
