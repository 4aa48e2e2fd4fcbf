// How several values become one.
#pragma once
#include <cstdint>
#include <string_view>

namespace mtfc {

/// Of bool: max is any, min is all.
enum class Combine : std::uint8_t { sum, max, min };

/// Empty for a number that is not one of them: the reader of dumps counts up to it.
constexpr std::string_view name(Combine combine) {
  switch (combine) {
    case Combine::sum:
      return "sum";
    case Combine::max:
      return "max";
    case Combine::min:
      return "min";
  }
  return "";
}

}  // namespace mtfc
