// Numbers that are NaN or infinite, among many.
#pragma once
#include <cstddef>
#include <cstdint>

#include "support/dtype.h"

namespace mtfc {

/// In the order of how bad they are.
enum class NotFinite : std::uint8_t { none, infinite, not_a_number };

/// The worst of `count` elements side by side; none for types that are not floats.
NotFinite worst_of(DType dtype, const void* elements, std::int64_t count);

/// "not a number" or "infinite".
const char* name(NotFinite kind);

}  // namespace mtfc
