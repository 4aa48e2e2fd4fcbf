// How several values become one.
#pragma once
#include <cstdint>
#include <string_view>

namespace mtfc {

/// Of bool: max is any, min is all.
enum class Combine : std::uint8_t { sum, max, min };

constexpr std::string_view name(Combine combine) {
  return combine == Combine::sum ? "sum" : combine == Combine::max ? "max" : "min";
}

}  // namespace mtfc
