// How much one processor sends for a sum over several. What predicts it and what does it agree.
#pragma once
#include <cstdint>

namespace mtfc {

/// Below so many elements everybody sends everything to everybody: one message's wait instead of
/// two.
constexpr std::int64_t kGatherAllElements = 4096;

/// Elements sent for an all-reduce of `elements` among n processors: everybody's block to its owner,
/// then the sum of one's own to everybody; of few elements, all to all.
constexpr std::int64_t all_reduce_sent(std::int64_t elements, std::int64_t n) {
  if (elements < kGatherAllElements) return elements * (n - 1);
  const std::int64_t block = (elements + n - 1) / n;
  return elements - block + block * (n - 1);
}

}  // namespace mtfc
