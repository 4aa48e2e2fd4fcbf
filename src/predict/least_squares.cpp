#include "predict/least_squares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace mtfc::predict {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// Elimination with pivots from the diagonal: the matrix is symmetric and not indefinite. What is
/// determined by nothing is 0.
std::vector<double> solve(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<double> x(n, 0);
  std::vector<bool> done(n, false);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t p = n;
    for (std::size_t i = 0; i < n; ++i)
      if (!done[i] && (p == n || a[i][i] > a[p][p])) p = i;
    done[p] = true;
    if (a[p][p] < 1e-12) continue;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const double factor = a[i][p] / a[p][p];
      for (std::size_t j = 0; j < n; ++j) a[i][j] -= factor * a[p][j];
      b[i] -= factor * b[p];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (a[i][i] >= 1e-12) x[i] = b[i] / a[i][i];
  return x;
}

}  // namespace

std::vector<double> least_squares(const Matrix& equations, const std::vector<double>& values) {
  const std::size_t n = equations.empty() ? 0 : equations[0].size();
  // Unknowns in units in which each column's largest entry is 1.
  std::vector<double> unit(n, 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < n; ++j)
      unit[j] = std::max(unit[j], std::abs(equations[i][j] / values[i]));
  std::vector<std::size_t> kept(n);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  std::erase_if(kept, [&](std::size_t j) { return unit[j] <= 0; });
  std::vector<double> found(n, 0);
  while (!kept.empty()) {
    Matrix a(kept.size(), std::vector<double>(kept.size(), 0));
    std::vector<double> b(kept.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t p = 0; p < kept.size(); ++p) {
        const double at = equations[i][kept[p]] / values[i] / unit[kept[p]];
        b[p] += at;
        for (std::size_t q = 0; q < kept.size(); ++q)
          a[p][q] += at * equations[i][kept[q]] / values[i] / unit[kept[q]];
      }
    const std::vector<double> x = solve(a, b);
    const auto lowest = std::min_element(x.begin(), x.end());
    if (*lowest >= 0) {
      for (std::size_t p = 0; p < kept.size(); ++p) found[kept[p]] = x[p] / unit[kept[p]];
      break;
    }
    kept.erase(kept.begin() + (lowest - x.begin()));
  }
  return found;
}

}  // namespace mtfc::predict
