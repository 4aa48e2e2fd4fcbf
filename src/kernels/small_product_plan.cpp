#include <algorithm>
#include <utility>

#include "kernels/micro_kernels.h"
#include "kernels/small_product.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kMostFlops = 4 << 20;   // of an item
constexpr std::int64_t kMostExtent = 1 << 12;  // of rows and columns
constexpr std::int64_t kMostItems = 1 << 12;
// Of a tiny one columns are copied for many, where there are many: alone it may take longer.
constexpr std::int64_t kTinyFlops = 1 << 17;
constexpr double kTinySlower = 2;

std::vector<std::int64_t> offsets(const std::vector<Dim>& dims, std::size_t tensor) {
  std::vector<std::int64_t> offsets;
  const std::int64_t count = product(dims);
  Walk walk(dims, dims.size(), tensor, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    offsets.push_back(walk.offset());
    if (i + 1 < count) walk.advance(1);
  }
  return offsets;
}

bool adjacent(const std::vector<std::int64_t>& offsets) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

SmallProduct plan_of(const ProductFactors& factors, bool swapped) {
  SmallProduct plan;
  plan.swapped = swapped;
  const std::size_t x = swapped ? ProductFactors::kB : ProductFactors::kA,
                    y = swapped ? ProductFactors::kA : ProductFactors::kB;
  const std::vector<Dim>&rows = swapped ? factors.n : factors.m,
        &columns = swapped ? factors.m : factors.n;
  plan.x_rows = offsets(rows, x);
  plan.c_rows = offsets(rows, ProductFactors::kC);
  plan.y_columns = offsets(columns, y);
  plan.c_columns = offsets(columns, ProductFactors::kC);
  if (columns.size() == 1) {
    plan.y_pitch = columns[0].strides[y];
    plan.c_pitch = columns[0].strides[ProductFactors::kC];
  }
  std::vector<Dim> outer_k = factors.k;
  const Dim inner = outer_k.back();
  outer_k.pop_back();
  plan.x_terms = offsets(outer_k, x);
  plan.y_terms = offsets(outer_k, y);
  plan.k = inner.extent;
  plan.x_step = inner.strides[x];
  plan.y_step = inner.strides[y];
  plan.x_items = offsets(factors.batch, x);
  plan.y_items = offsets(factors.batch, y);
  plan.c_items = offsets(factors.batch, ProductFactors::kC);
  plan.adjacent = adjacent(plan.y_columns);
  plan.scatters = !adjacent(plan.c_columns);
  plan.transposes = plan.scatters && adjacent(plan.c_rows);
  return plan;
}

double reach(std::int64_t extent, double half) {
  return static_cast<double>(extent) / (static_cast<double>(extent) + half);
}

/// Cycles of one item, roughly: tiles of 8 rows and 3 vectors, copies and results that are not
/// written where they belong.
double time_of(const SmallProduct& plan, int lanes) {
  const std::int64_t vectors = ceil_div(plan.columns(), lanes);
  const std::int64_t r = std::min<std::int64_t>(plan.rows(), 8),
                     v = std::min<std::int64_t>(vectors, 3);
  const auto tiles = static_cast<double>(ceil_div(plan.rows(), r) * ceil_div(vectors, v));
  const auto results = static_cast<double>(r * v), loads = static_cast<double>(r + v);
  const auto k = static_cast<double>(plan.k * plan.terms());
  const auto rows = static_cast<double>(plan.rows()), columns = static_cast<double>(plan.columns());
  double time = tiles * (k * std::max({results / 2, loads / 2, 4.0}) + 14 + results);
  if (!plan.adjacent) time += columns * k * (plan.y_step == 1 && plan.y_pitch != 0 ? 0.3 : 1.5);
  if (plan.adjacent && plan.columns() % lanes != 0) time += k * lanes / 2;
  if (plan.scatters) time += rows * columns * (plan.transposes && plan.c_pitch != 0 ? 0.5 : 1.5);
  if (!plan.scatters && plan.columns() % lanes != 0) time += 8 * rows;
  return time;
}

/// The same of the library, for a result whose rows lie along n.
double library_time(std::int64_t m, std::int64_t n, std::int64_t k) {
  const double rate = 67 * reach(m, 1.5) * reach(n, 12) * reach(k, 3);  // operations of a cycle
  return 700 + 2.0 * static_cast<double>(m * n * k) / rate;
}

}  // namespace

std::optional<SmallProduct> plan_small_product(const ProductFactors& factors) {
  const MicroKernels* kernels = micro_kernels();
  const std::int64_t m = product(factors.m), n = product(factors.n), k = product(factors.k);
  if (kernels == nullptr || k < 2 || std::max(m, n) < 2 || m > kMostExtent || n > kMostExtent ||
      product(factors.batch) > kMostItems || 2 * m * n * k > kMostFlops)
    return std::nullopt;
  // A wide matrix is read as it lies in memory (few_rows.h).
  if (std::min(m, n) == 1 && std::max(m, n) > kMicroVectors * kernels->lanes) return std::nullopt;
  SmallProduct plan = plan_of(factors, false);
  SmallProduct other = plan_of(factors, true);
  const double time = time_of(plan, kernels->lanes), other_time = time_of(other, kernels->lanes);
  const bool along_n = factors.m.empty() || factors.m.back().strides[ProductFactors::kC] != 1;
  const double library = library_time(along_n ? m : n, along_n ? n : m, k);
  const double most = 2 * m * n * k <= kTinyFlops ? kTinySlower * library : library;
  if (std::min(time, other_time) > most) return std::nullopt;
  SmallProduct& best = other_time < time ? other : plan;
  best.tile =
      best_tile(kernels->chains, best.rows(), ceil_div(best.columns(), kernels->lanes), best.k);
  return std::move(best);
}

}  // namespace mtfc::runtime
