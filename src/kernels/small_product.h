// Products that are too small for the library: what a processor of a large mesh has, heads of
// attention, one row with weights. Results are tiles of micro_kernels.h, so that rows of calls with
// the same right operand are rows of one product, and threads share it as they like: no bit depends
// on it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/extents.h"
#include "kernels/kernel.h"
#include "kernels/micro_kernels.h"

namespace mtfc::runtime {

/// The factors of a contraction of f32, merged, with strides in a, b and c.
struct ProductFactors {
  static constexpr std::size_t kA = 0, kB = 1, kC = 2;  // strides
  std::vector<Dim> batch, m, n, k;
};

/// Rows meet columns, which lie along vectors. All numbers are elements from where an operand of an
/// item begins.
struct SmallProduct {
  bool swapped = false;  // rows are of b, columns of a
  std::vector<std::int64_t> x_rows, c_rows, y_columns, c_columns;
  std::vector<std::int64_t> x_terms, y_terms;  // where the sum continues: factors that do not merge
  std::int64_t k = 0, x_step = 0, y_step = 0;  // within a term
  std::int64_t y_pitch = 0, c_pitch = 0;       // from one column to the next; 0: not even
  std::vector<std::int64_t> x_items, y_items, c_items;
  bool adjacent = false;    // columns, else they go through a copy
  bool scatters = false;    // results are not adjacent along columns,
  bool transposes = false;  // but along rows
  TileSize tile;            // of one item

  std::int64_t rows() const { return static_cast<std::int64_t>(x_rows.size()); }
  std::int64_t columns() const { return static_cast<std::int64_t>(y_columns.size()); }
  /// Of the sum of one item.
  std::int64_t terms() const { return static_cast<std::int64_t>(x_terms.size()); }
  std::int64_t items() const { return static_cast<std::int64_t>(x_items.size()); }
  /// Elements that are copied to lie along vectors.
  std::int64_t turned() const { return adjacent ? 0 : columns() * k * terms(); }
};

/// None where the library is quicker, or there are no micro-kernels.
std::optional<SmallProduct> plan_small_product(const ProductFactors& factors);

void run_small_product(Pool& pool, const SmallProduct& plan, const Call* calls, int count);
/// The output of each sum, which its calls have in common, is the sum of their products in order.
/// Of more than one call in a part these are added first. The product has one term.
void run_sums_of_small_products(Pool& pool, const SmallProduct& plan, const Call* calls, int sums,
                                int calls_of_sum, int calls_of_part);

}  // namespace mtfc::runtime
