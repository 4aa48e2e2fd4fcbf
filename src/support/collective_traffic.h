// How much one processor sends for a sum over several. What predicts it and what does it agree.
#pragma once
#include <cstdint>

#include "support/rounding.h"

namespace mtfc {

/// Below so many elements everybody sends everything to everybody: one message's wait instead of
/// two.
constexpr std::int64_t kGatherAllElements = 4096;

/// What n processors share out among them, of each.
constexpr std::int64_t block_of(std::int64_t elements, std::int64_t n) {
  return ceil_div(elements, n);
}

/// Elements sent for an all-reduce of `elements` among n processors: everybody's block to its
/// owner, then the sum of one's own to everybody; of `few` elements, all to all. Numbers or
/// formulas (cost/symbolic).
template <class Number>
constexpr Number all_reduce_sent(const Number& elements, const Number& n, bool few) {
  if (few) return elements * (n - 1);
  const Number block = block_of(elements, n);
  return elements - block + block * (n - 1);
}
constexpr std::int64_t all_reduce_sent(std::int64_t elements, std::int64_t n) {
  return all_reduce_sent(elements, n, elements < kGatherAllElements);
}

}  // namespace mtfc
