#include "kernels/gather.h"

#include <algorithm>
#include <cstring>

#include "kernels/copy_bytes.h"
#include "kernels/fill_bits.h"
#include "kernels/indexed_rows.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kGatherTask = 1 << 14;  // elements

// The processor that answers for indices which point nowhere.
bool gives_fill(const GatherSpec& spec, const Call& call) {
  for (const auto& index : spec.indices) {
    for (const auto& term : index.begin.terms) {
      if (call.coordinates[term.axis] != 0) return false;
    }
  }
  return true;
}

struct GatherJob {
  const GatherSpec& spec;
  const IndexedShape& shape;
  const Call* calls;
  std::int64_t rows_per_task, tasks;
  std::uint64_t fill = 0;

  GatherJob(const GatherSpec& gather, const IndexedShape& its_shape, const Call* all)
      : spec(gather), shape(its_shape), calls(all) {
    const auto seeks = static_cast<std::int64_t>(spec.indices.size()) + 2;
    rows_per_task = std::max<std::int64_t>(1, kGatherTask / (shape.run + seeks * kSeekElements));
    tasks = ceil_div(shape.rows, rows_per_task);
  }

  void task(std::int64_t i) const {
    const Call& call = calls[i / tasks];
    const std::int64_t begin = i % tasks * rows_per_task;
    const std::int64_t end = std::min(begin + rows_per_task, shape.rows);
    const std::int64_t size = bytes_of(spec.dtype);
    const auto bytes = static_cast<std::size_t>(shape.run * size);
    const bool fills = gives_fill(spec, call);
    const auto* x = static_cast<const char*>(call.inputs[0]);
    auto* y = static_cast<char*>(call.outputs[0]) + begin * shape.run * size;
    IndexedRows rows(shape, spec, call, begin);
    for (std::int64_t r = begin; r < end; ++r, rows.advance(), y += bytes) {
      std::int64_t offset = 0;
      const Owner position = rows.find(offset);
      if (position == Owner::here) {
        copy_bytes(y, x + offset * size, bytes);
      } else if (position == Owner::nowhere && fills) {
        for (std::int64_t k = 0; k < shape.run; ++k) {
          std::memcpy(y + k * size, &fill, static_cast<std::size_t>(size));
        }
      } else {
        std::memset(y, 0, bytes);
      }
    }
  }
};

}  // namespace

Pieces pieces(const GatherSpec& spec) {
  const IndexedShape& shape = find_indexed_shape(spec);
  const auto seeks = static_cast<std::int64_t>(spec.indices.size()) + 2;
  return {GatherJob(spec, shape, nullptr).tasks, shape.rows * seeks, product(spec.extents)};
}

void gather(Pool& pool, const GatherSpec& spec, const Call* calls, int count) {
  const IndexedShape& shape = find_indexed_shape(spec);
  if (shape.rows == 0 || shape.run == 0) return;
  GatherJob job(spec, shape, calls);
  job.fill = fill_bits(spec.dtype, spec.fill);
  pool.run(job.tasks * count, [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
