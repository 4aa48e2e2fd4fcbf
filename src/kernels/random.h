// Random numbers for the host, the same as those that maps draw: a draw is a function of
// (key, step, index) alone. Keys come from support/draw_key.h.
#pragma once
#include <cstdint>
#include <vector>

#include "support/draw_key.h"
#include "support/dtype.h"
#include "support/scalar.h"

namespace mtfc::runtime {

struct Stream {
  Draw draw{};
  double a = 0, b = 0;  // as in MapSpec::RandomLeaf
  std::uint64_t key = 0;
  std::uint32_t step = 0;
};

/// Draws number first .. first + n - 1, stored as `dtype` at y.
void draw(const Stream& stream, DType dtype, std::int64_t first, std::int64_t n, void* y);

/// Draw number `index` with 53 bits, in [0, 1).
double uniform(std::uint64_t key, std::uint32_t step, std::int64_t index);

/// The numbers 0 .. n-1 in an order that is a function of (seed, epoch, n).
std::vector<std::int64_t> permutation(std::uint64_t seed, std::int64_t epoch, std::int64_t n);

}  // namespace mtfc::runtime
