// Sizes that do not divide, rounded up.
#pragma once
#include <cstdint>

namespace mtfc {

/// How many parts of at most `b` make up `a`, or the largest of `b` parts as equal as can be.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The next multiple; `size` itself if it is one.
constexpr std::int64_t round_up(std::int64_t size, std::int64_t of) {
  return ceil_div(size, of) * of;
}

}  // namespace mtfc
