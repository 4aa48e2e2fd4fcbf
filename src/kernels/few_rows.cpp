#include "kernels/few_rows.h"

#include <algorithm>

#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

using F = ProductFactors;
// A thread's share of a matrix: less of it, or rows that are shorter, take longer to share than to
// read.
constexpr std::int64_t kLeastShare = 1 << 13, kFewestColumns = 64;

std::int64_t stride(const std::vector<Dim>& dims, std::size_t tensor) {
  return dims.empty() ? 0 : dims[0].strides[tensor];
}

std::optional<FewRows> few_rows_of(const ProductFactors& factors, bool swapped) {
  const auto& rows = swapped ? factors.n : factors.m;
  const auto& columns = swapped ? factors.m : factors.n;
  const std::size_t x = swapped ? F::kB : F::kA, y = swapped ? F::kA : F::kB;
  if (rows.size() > 1 || product(rows) > kRowsOfMatrix || columns.size() != 1 ||
      columns[0].strides[y] != 1 || columns[0].strides[F::kC] != 1)
    return std::nullopt;
  const Dim& k = factors.k[0];
  return FewRows{swapped,         product(rows), columns[0].extent, k.extent,
                 stride(rows, x), k.strides[x],  k.strides[y],      stride(rows, F::kC)};
}

/// Of a thread, so that no vector is shared.
std::int64_t columns_of_task(const FewRows& plan, int lanes, std::int64_t threads) {
  const std::int64_t most = std::min(plan.most_tasks(), threads);
  return round_up(ceil_div(plan.columns, most), lanes);
}

}  // namespace

std::int64_t FewRows::most_tasks() const {
  return std::max<std::int64_t>(1, columns / std::max(kFewestColumns, ceil_div(kLeastShare, k)));
}

std::optional<FewRows> plan_few_rows(const ProductFactors& factors) {
  if (micro_kernels() == nullptr || !factors.batch.empty() || factors.k.size() != 1)
    return std::nullopt;
  const auto plan = few_rows_of(factors, false);
  return plan ? plan : few_rows_of(factors, true);
}

void run_few_rows(Pool& pool, const FewRows& plan, const Call* calls, int count) {
  const MicroKernels& kernels = *micro_kernels();
  const std::int64_t share = columns_of_task(plan, kernels.lanes, pool.threads());
  const std::int64_t shares = ceil_div(plan.columns, share);
  pool.run(shares * count, [&](std::int64_t i) {
    const Call& call = calls[i / shares];
    const std::int64_t begin = i % shares * share;
    kernels.few_rows[plan.rows](
        {static_cast<const float*>(call.inputs[plan.swapped ? 1 : 0]),
         static_cast<const float*>(call.inputs[plan.swapped ? 0 : 1]) + begin,
         static_cast<float*>(call.outputs[0]) + begin, plan.x_pitch, plan.x_step, plan.y_step,
         plan.c_pitch, plan.k, std::min(share, plan.columns - begin)});
  });
}

}  // namespace mtfc::runtime
