// What tests of scalar operations share.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/element_loops.h"

namespace mtfc::runtime::scalar_lab {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One for each instruction set of this machine.
inline std::vector<const BlockTable*> tables() {
  std::vector<const BlockTable*> found;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (const BlockTable* table = blocks_of(isa)) found.push_back(table);
  }
  return found;
}

inline OpBlock block_of(const BlockTable& table, ScalarOp op, Repr repr, int pattern = 0) {
  return table.ops[static_cast<int>(op)][static_cast<int>(repr)][pattern];
}

template <class T, class R = T>
std::vector<R> run(ScalarOp op, Repr repr, const std::vector<T>& x, const std::vector<T>& y = {},
                   const BlockTable& table = blocks()) {
  std::vector<R> result(x.size());
  const void* args[] = {x.data(), y.data()};
  block_of(table, op, repr)(result.data(), args, static_cast<std::int64_t>(x.size()));
  return result;
}

/// Special ones first (29), then drawn ones.
inline std::vector<float> floats() {
  std::vector<float> x = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          0.5f,
                          -0.5f,
                          2.5f,
                          -2.5f,
                          1e-45f,
                          -1e-45f,
                          1e-38f,
                          1.17549435e-38f,
                          3.4e38f,
                          -3.4e38f,
                          88.7f,
                          88.73f,
                          89.5f,
                          -87.3f,
                          -88.0f,
                          -103.9f,
                          -104.1f,
                          -110.0f,
                          1e10f,
                          -1e10f,
                          3e8f,
                          5e8f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> small(-2, 2), middle(-20, 20), wide(-110, 110);
  std::uniform_int_distribution<std::uint32_t> any;
  for (int i = 0; i < 40000; ++i) {
    x.push_back(small(random));
    x.push_back(middle(random));
    x.push_back(wide(random));
    x.push_back(std::bit_cast<float>(any(random)));
  }
  return x;
}

/// |value - exact| in units in the last place of a float near `exact`.
inline double ulps(float value, long double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(nearest) || std::isnan(value)) {
    return std::isnan(nearest) && std::isnan(value) ? 0 : kInfinity;
  }
  if (value == nearest) return 0;
  if (std::isinf(nearest)) return kInfinity;
  const float size = std::max(std::fabs(nearest), std::numeric_limits<float>::min());
  const long double unit = std::ldexp(1.0L, std::ilogb(size) - 23);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / unit);
}

}  // namespace mtfc::runtime::scalar_lab
