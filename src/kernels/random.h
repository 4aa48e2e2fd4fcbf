// Random numbers for the host, the same as those of maps: a random sample is a function of
// (key, step, index) alone. Keys come from support/random_key.h.
#pragma once
#include <cstdint>
#include <vector>

#include "support/dtype.h"
#include "support/random_key.h"
#include "support/scalar.h"

namespace mtfc::runtime {

struct Stream {
  Distribution distribution{};
  double a = 0, b = 0;  // as in MapSpec::RandomLeaf
  std::uint64_t key = 0;
  std::uint32_t step = 0;
};

/// Samples number first .. first + n - 1, stored as `dtype` at y.
void sample(const Stream& stream, DType dtype, std::int64_t first, std::int64_t n, void* y);

/// Sample number `index` with 53 bits, in [0, 1).
double uniform(std::uint64_t key, std::uint32_t step, std::int64_t index);

/// The numbers 0 .. n-1 in an order that is a function of (seed, epoch, n).
std::vector<std::int64_t> permutation(std::uint64_t seed, std::int64_t epoch, std::int64_t n);

}  // namespace mtfc::runtime
