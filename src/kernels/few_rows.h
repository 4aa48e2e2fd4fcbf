// Products of a few rows with a matrix: generation, a token at a time, where reading the weights is
// all there is to do. They are read once, as they lie in memory, a share of the columns by each
// thread. Each result is one chain of fused multiply-adds as in micro_kernels.h: no bit depends on
// how columns are shared.
#pragma once
#include <cstdint>
#include <optional>

#include "kernels/kernel.h"
#include "kernels/micro_kernels.h"
#include "kernels/small_product.h"

namespace mtfc::runtime {

/// Where nothing says otherwise, in elements.
struct FewRows {
  bool swapped = false;  // the matrix is a
  std::int64_t rows = 1, columns = 0, k = 0;
  std::int64_t x_pitch = 0, x_step = 0;  // from row to row, and along k
  std::int64_t y_step = 0;               // from one row of the matrix to the next
  std::int64_t c_pitch = 0;

  /// However many threads there are.
  std::int64_t most_tasks() const;
};

/// None where there are more rows, the matrix's columns are not adjacent, or there are no
/// micro-kernels.
std::optional<FewRows> plan_few_rows(const ProductFactors& factors);

void run_few_rows(Pool& pool, const FewRows& plan, const Call* calls, int count);

}  // namespace mtfc::runtime
