#include <algorithm>
#include <cstring>

#include "kernels/element_loops.h"
#include "kernels/extents.h"
#include "kernels/fill_zero.h"
#include "kernels/kernels.h"
#include "kernels/plan_cache.h"
#include "kernels/scratch.h"
#include "support/check.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kGatherTask = 1 << 14;  // elements
constexpr std::int64_t kScatterColumns = 64;   // that one task of an addition owns

// Trailing dimensions along which no index changes and x is contiguous are copied as runs.
struct Shape {
  std::vector<Dim> dims;  // strides: x, then one per index; without the run
  std::int64_t run = 1, rows = 1;
};

Shape shape_of(const GatherSpec& spec) {
  Shape shape;
  std::size_t rank = spec.extents.size();
  const auto even = [&](std::size_t d) {
    if (spec.x_strides[d] != shape.run && spec.extents[d] != 1) return false;
    return std::all_of(spec.indices.begin(), spec.indices.end(), [&](const auto& index) {
      return index.strides[d] == 0 || spec.extents[d] == 1;
    });
  };
  while (rank > 0 && even(rank - 1)) shape.run *= spec.extents[--rank];
  for (std::size_t d = 0; d < rank; ++d) {
    Dim dim{spec.extents[d], {spec.x_strides[d]}};
    for (const auto& index : spec.indices) dim.strides.push_back(index.strides[d]);
    shape.dims.push_back(dim);
  }
  shape.dims = merged(shape.dims);
  shape.rows = product(shape.dims);
  return shape;
}

const Shape& find_shape(const GatherSpec& spec) {
  thread_local Plans<Shape> plans;
  SpecKey& key = plans.start();
  key.add(spec.extents);
  key.add(spec.x_strides);
  for (const auto& index : spec.indices) key.add(index.strides);
  return plans.find([&] { return shape_of(spec); });
}

enum class Place { here, elsewhere, nowhere };

// One walk for x and one for every index.
class GatherRows {
 public:
  static constexpr std::size_t kMaxIndices = 8;
  GatherRows(const Shape& shape, const GatherSpec& spec, const Call& call, std::int64_t row)
      : spec_(spec), call_(call) {
    MTFC_CHECK(spec.indices.size() <= kMaxIndices, "too many indices");
    for (std::size_t t = 0; t <= spec.indices.size(); ++t) {
      walks_[t] = Walk(shape.dims, shape.dims.size(), t, row);
    }
    for (std::size_t j = 0; j < spec.indices.size(); ++j) {
      begins_[j] = spec.indices[j].begin.at(call.coordinates);
    }
  }
  void advance() {
    for (std::size_t t = 0; t <= spec_.indices.size(); ++t) walks_[t].advance(1);
  }
  /// Where the row's indices point; `offset` is set if it is here.
  Place find(std::int64_t& offset) const {
    offset = walks_[0].offset();
    Place place = Place::here;
    for (std::size_t j = 0; j < spec_.indices.size(); ++j) {
      const auto& index = spec_.indices[j];
      const auto* values = static_cast<const std::int32_t*>(call_.inputs[j + 1]);
      const std::int64_t value = values[walks_[j + 1].offset()];
      if (value < 0 || value >= index.global_extent) return Place::nowhere;
      const std::int64_t local = value - begins_[j];
      if (local < 0 || local >= index.extent) place = Place::elsewhere;
      offset += local * index.x_stride;
    }
    return place;
  }

 private:
  const GatherSpec& spec_;
  const Call& call_;
  Walk walks_[kMaxIndices + 1];
  std::int64_t begins_[kMaxIndices] = {};
};

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
  const Shape& shape;
  const Call* calls;
  std::int64_t rows_per_task, tasks;
  std::uint64_t fill = 0;

  void task(std::int64_t i) const {
    const Call& call = calls[i / tasks];
    const std::int64_t begin = i % tasks * rows_per_task;
    const std::int64_t end = std::min(begin + rows_per_task, shape.rows);
    const std::int64_t size = bytes_of(spec.dtype);
    const auto bytes = static_cast<std::size_t>(shape.run * size);
    const bool fills = gives_fill(spec, call);
    const auto* x = static_cast<const char*>(call.inputs[0]);
    auto* y = static_cast<char*>(call.outputs[0]) + begin * shape.run * size;
    GatherRows rows(shape, spec, call, begin);
    for (std::int64_t r = begin; r < end; ++r, rows.advance(), y += bytes) {
      std::int64_t offset = 0;
      const Place place = rows.find(offset);
      if (place == Place::here) {
        std::memcpy(y, x + offset * size, bytes);
      } else if (place == Place::nowhere && fills) {
        for (std::int64_t k = 0; k < shape.run; ++k) {
          std::memcpy(y + k * size, &fill, static_cast<std::size_t>(size));
        }
      } else {
        std::memset(y, 0, bytes);
      }
    }
  }
};

// Columns are independent of each other: each task adds its own ones, all rows in ascending order.
// f16 and bf16 add in f32 and round once, at the end.
struct ScatterJob {
  const ScatterAddSpec& spec;
  const Shape& shape;
  const Call* calls;
  std::int64_t tasks;
  char* sums;  // of 16-bit types: y_size f32 per call

  bool half() const { return is_half(spec.gather.dtype); }
  std::int64_t size() const { return bytes_of(repr_of(spec.gather.dtype)); }
  char* target(std::int64_t call) const {
    return half() ? sums + call * spec.y_size * size() : static_cast<char*>(calls[call].outputs[0]);
  }

  void task(std::int64_t i) const {
    const BlockTable& table = blocks();
    const DType dtype = spec.gather.dtype;
    const OpBlock add =
        table.ops[static_cast<int>(ScalarOp::add)][static_cast<int>(repr_of(dtype))][0];
    const Call& call = calls[i / tasks];
    const std::int64_t column = i % tasks * kScatterColumns;
    const std::int64_t columns = std::min(kScatterColumns, shape.run - column);
    const auto* x = static_cast<const char*>(call.inputs[0]) + column * bytes_of(dtype);
    char* y = target(i / tasks) + column * size();
    alignas(64) double loaded[kScatterColumns];
    GatherRows rows(shape, spec.gather, call, 0);
    for (std::int64_t r = 0; r < shape.rows; ++r, rows.advance()) {
      std::int64_t offset = 0;
      if (rows.find(offset) != Place::here) continue;
      const char* row = x + r * shape.run * bytes_of(dtype);
      if (half()) table.loads[static_cast<int>(dtype)](loaded, row, 1, 0, columns, 1);
      char* to = y + offset * size();
      const void* args[] = {to, half() ? static_cast<const void*>(loaded) : row};
      add(to, args, columns);
    }
  }

  void round(std::int64_t call) const {
    blocks().stores[static_cast<int>(spec.gather.dtype)](calls[call].outputs[0], target(call),
                                                         spec.y_size);
  }
};

}  // namespace

void gather(Pool& pool, const GatherSpec& spec, const Call* calls, int count) {
  const Shape& shape = find_shape(spec);
  if (shape.rows == 0 || shape.run == 0) return;
  const std::int64_t rows = std::max<std::int64_t>(1, kGatherTask / shape.run);
  GatherJob job{spec, shape, calls, rows, (shape.rows + rows - 1) / rows, 0};
  const auto dtype = static_cast<int>(spec.dtype);
  double value = 0;  // in its block representation, of at most 8 bytes
  blocks().casts[dtype][static_cast<int>(Repr::f64)](&value, &spec.fill, 1);
  blocks().stores[dtype](&job.fill, &value, 1);
  pool.run(job.tasks * count, [&job](std::int64_t i) { job.task(i); });
}

void scatter_add(Pool& pool, const ScatterAddSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.gather.dtype != DType::boolean, "a sum of bool");
  thread_local Scratch memory;
  const Shape& shape = find_shape(spec.gather);
  ScatterJob job{spec, shape, calls, (shape.run + kScatterColumns - 1) / kScatterColumns, nullptr};
  if (job.half()) job.sums = memory.take(static_cast<std::size_t>(spec.y_size * 4 * count));
  clear(pool, spec.y_size * job.size(), count,
        [&job](std::int64_t i) { return static_cast<void*>(job.target(i)); });
  if (shape.rows > 0) pool.run(job.tasks * count, [&job](std::int64_t i) { job.task(i); });
  if (job.half()) pool.run(count, [&job](std::int64_t i) { job.round(i); });
}

}  // namespace mtfc::runtime
