#include "kernels/add_at.h"

#include <algorithm>

#include "kernels/copy_bytes.h"
#include "kernels/element_loops.h"
#include "kernels/indexed_rows.h"
#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kEntryTask = 1 << 13;
constexpr std::int64_t kEntryColumns = 64;  // of a task, where rows may meet
constexpr std::int64_t kHalves = 256;       // of halves, as f32

struct EntryCut {
  std::int64_t rows, columns;  // of a task
  std::int64_t row_tasks, column_tasks;
  std::int64_t tasks() const { return row_tasks * column_tasks; }
};

/// With one index for all, rows are apart. Else two may be added at one place: a task has all rows
/// of its columns, in their order.
EntryCut entry_cut_of(const GatherSpec& spec, const IndexedShape& shape) {
  const std::vector<std::int64_t>& strides = spec.indices.at(0).strides;
  const bool one = std::all_of(strides.begin(), strides.end(), [](auto s) { return s == 0; });
  EntryCut cut{};
  cut.columns = std::clamp<std::int64_t>(shape.run, 1, one ? kEntryTask : kEntryColumns);
  cut.rows = one ? kEntryTask / (cut.columns + kSeekElements) : shape.rows;
  cut.rows = std::max<std::int64_t>(1, cut.rows);
  cut.row_tasks = ceil_div(shape.rows, cut.rows);
  cut.column_tasks = ceil_div(shape.run, cut.columns);
  return cut;
}

struct EntryAdder {
  const GatherSpec& gather;
  const IndexedShape& shape;
  const EntryCut& cut;
  const Call* calls;

  void task(std::int64_t i) const {
    const Call& call = calls[i / cut.tasks()];
    const std::int64_t number = i % cut.tasks();
    const std::int64_t first = number / cut.column_tasks * cut.rows;
    const std::int64_t column = number % cut.column_tasks * cut.columns;
    const std::int64_t columns = std::min(cut.columns, shape.run - column);
    const std::int64_t size = bytes_of(gather.dtype);
    const auto* x = static_cast<const char*>(call.inputs[0]);
    auto* y = static_cast<char*>(call.outputs[0]);
    IndexedRows rows(shape, gather, call, first);
    const std::int64_t end = std::min(shape.rows, first + cut.rows);
    for (std::int64_t row = first; row < end; ++row, rows.advance()) {
      std::int64_t offset = 0;
      if (rows.find(offset) != Owner::here) continue;
      add(y + (offset + column) * size, x + (row * shape.run + column) * size, columns);
    }
  }

  void add(char* to, const char* x, std::int64_t n) const {
    const BlockTable& table = blocks();
    const DType dtype = gather.dtype;
    const OpBlock sum =
        table.ops[static_cast<int>(ScalarOp::add)][static_cast<int>(repr_of(dtype))][0];
    if (!is_half(dtype)) {
      const void* args[] = {to, x};
      sum(to, args, n);
      return;
    }
    alignas(64) float a[kHalves], b[kHalves];
    for (std::int64_t begin = 0; begin < n; begin += kHalves) {
      const std::int64_t length = std::min(kHalves, n - begin), at = begin * bytes_of(dtype);
      table.loads[static_cast<int>(dtype)](a, to + at, 1, 0, length, 1);
      table.loads[static_cast<int>(dtype)](b, x + at, 1, 0, length, 1);
      const void* args[] = {a, b};
      sum(a, args, length);
      table.stores[static_cast<int>(dtype)](to + at, a, length);
    }
  }
};

}  // namespace

Pieces pieces(const AddAtSpec& spec) {
  const GatherSpec& gather = spec.scatter.gather;
  const IndexedShape& shape = find_indexed_shape(gather);
  const EntryCut cut = entry_cut_of(gather, shape);
  return {cut.tasks(), cut.column_tasks * shape.rows * 3, product(gather.extents)};
}

void add_at(Pool& pool, const AddAtSpec& spec, const Call* calls, int count) {
  const GatherSpec& gather = spec.scatter.gather;
  MTFC_CHECK(gather.dtype != DType::boolean, "a sum of bool");
  const auto bytes = static_cast<std::size_t>(spec.scatter.y_size * bytes_of(gather.dtype));
  for (int i = 0; i < count; ++i)
    if (calls[i].inputs[2] != calls[i].outputs[0])
      copy_bytes(calls[i].outputs[0], calls[i].inputs[2], bytes);
  const IndexedShape& shape = find_indexed_shape(gather);
  if (shape.rows == 0 || shape.run == 0) return;
  const EntryCut cut = entry_cut_of(gather, shape);
  const EntryAdder adder{gather, shape, cut, calls};
  pool.run(cut.tasks() * count, [&adder](std::int64_t i) { adder.task(i); });
}

}  // namespace mtfc::runtime
