// Clearing results, in pieces that keep all threads busy.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/pool.h"
#include "support/rounding.h"

namespace mtfc::runtime {

/// Sets `bytes` bytes from target(i) on to zero, for every i < count.
template <class Target>
void clear(Pool& pool, std::int64_t bytes, std::int64_t count, const Target& target) {
  static constexpr std::int64_t kPiece = 1 << 18;
  struct Job {
    const Target& target;
    std::int64_t bytes, pieces;
  };
  const Job job{target, bytes, ceil_div(bytes, kPiece)};
  pool.run(job.pieces * count, [&job](std::int64_t i) {
    const std::int64_t begin = i % job.pieces * kPiece;
    const std::int64_t size = std::min<std::int64_t>(kPiece, job.bytes - begin);
    std::memset(static_cast<char*>(job.target(i / job.pieces)) + begin, 0,
                static_cast<std::size_t>(size));
  });
}

}  // namespace mtfc::runtime
