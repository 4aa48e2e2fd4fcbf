// The inner loop of messages: out[t] = min over s of from[s] + costs[s][t].
#pragma once
#include <cstddef>

namespace mtfc::solve {

inline void min_plus(const double* from, std::size_t rows, const double* costs, std::size_t columns,
                     double* out) {
  for (std::size_t t = 0; t < columns; ++t) out[t] = from[0] + costs[t];
  for (std::size_t s = 1; s < rows; ++s) {
    const double base = from[s];
    const double* row = costs + s * columns;
    for (std::size_t t = 0; t < columns; ++t) {
      const double sum = base + row[t];
      out[t] = sum < out[t] ? sum : out[t];
    }
  }
}

}  // namespace mtfc::solve
