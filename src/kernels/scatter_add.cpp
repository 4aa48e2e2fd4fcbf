#include "kernels/scatter_add.h"

#include <algorithm>

#include "kernels/element_loops.h"
#include "kernels/indexed_rows.h"
#include "kernels/wide_sums.h"
#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kScatterColumns = 64;  // that one task owns

// Columns are independent of each other: each task adds its own ones, all rows in ascending order.
struct ScatterJob {
  const ScatterAddSpec& spec;
  const IndexedShape& shape;
  const Call* calls;
  std::int64_t tasks;
  WideSums sums;

  void task(std::int64_t i) const {
    const BlockTable& table = blocks();
    const DType dtype = spec.gather.dtype;
    const OpBlock add =
        table.ops[static_cast<int>(ScalarOp::add)][static_cast<int>(repr_of(dtype))][0];
    const Call& call = calls[i / tasks];
    const std::int64_t column = i % tasks * kScatterColumns;
    const std::int64_t columns = std::min(kScatterColumns, shape.run - column);
    const auto* x = static_cast<const char*>(call.inputs[0]) + column * bytes_of(dtype);
    char* y = sums.of(i / tasks) + column * sums.size();
    alignas(64) double loaded[kScatterColumns];
    IndexedRows rows(shape, spec.gather, call, 0);
    for (std::int64_t r = 0; r < shape.rows; ++r, rows.advance()) {
      std::int64_t offset = 0;
      if (rows.find(offset) != Owner::here) continue;
      const char* row = x + r * shape.run * bytes_of(dtype);
      if (sums.is_wide()) table.loads[static_cast<int>(dtype)](loaded, row, 1, 0, columns, 1);
      char* to = y + offset * sums.size();
      const void* args[] = {to, sums.is_wide() ? static_cast<const void*>(loaded) : row};
      add(to, args, columns);
    }
  }
};

std::int64_t column_tasks(const IndexedShape& shape) {
  return ceil_div(shape.run, kScatterColumns);
}

}  // namespace

Pieces pieces(const ScatterAddSpec& spec) {
  const IndexedShape& shape = find_indexed_shape(spec.gather);
  const std::int64_t tasks = column_tasks(shape);
  const auto seeks = static_cast<std::int64_t>(spec.gather.indices.size()) + 2;
  return {tasks, tasks * shape.rows * seeks, product(spec.gather.extents)};
}

void scatter_add(Pool& pool, const ScatterAddSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.gather.dtype != DType::boolean, "a sum of bool");
  const IndexedShape& shape = find_indexed_shape(spec.gather);
  ScatterJob job{spec, shape, calls, column_tasks(shape),
                 WideSums(spec.gather.dtype, spec.y_size, calls)};
  job.sums.begin(pool, count);
  if (shape.rows > 0) pool.run(job.tasks * count, [&job](std::int64_t i) { job.task(i); });
  job.sums.finish(pool, count);
}

}  // namespace mtfc::runtime
