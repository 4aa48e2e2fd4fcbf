#include "kernels/reduce.h"

#include <algorithm>
#include <cstring>

#include "kernels/element_loops.h"
#include "kernels/extents.h"
#include "kernels/plan_cache.h"
#include "kernels/scratch.h"
#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kRowSegment = 8192;    // elements of a row that one task folds
constexpr std::int64_t kColumnSegment = 128;  // elements of a column that one task folds
constexpr std::int64_t kReduceColumns = 256;  // columns side by side
constexpr std::int64_t kShortRun = 16;        // below, lanes along the run would stay empty
constexpr std::int64_t kReduceTask = 16384;   // elements

// Every result is a fold over `pieces` partial folds in ascending order, each over `units` runs of
// `length` elements; all fixed by the spec.
struct ReducePlan {
  bool by_rows = true;       // the run lies along a reduced dimension
  std::vector<Dim> kept;     // strides: x, y; the last one is walked inside a task
  std::vector<Dim> reduced;  // strides: x; of a row reduction without the run
  std::int64_t run = 1, run_stride = 1, segments = 1;  // the run in segments
  std::int64_t units = 1, units_per_piece = 1, pieces = 1;
  std::int64_t kept_rows = 1, kept_columns = 1, columns_per_task = 1, column_tasks = 1;
  std::int64_t rows_per_task = 1, row_tasks = 1;
  std::vector<std::int64_t> offsets;  // of every unit; made last, where the plan is used
  bool empty = false;

  std::int64_t tasks() const { return pieces * row_tasks * column_tasks; }
};

void sort_by_x(std::vector<Dim>& dims) {
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return a.strides[0] > b.strides[0]; });
}

std::vector<std::int64_t> offsets_of(const ReducePlan& plan) {
  const std::int64_t outer = product(plan.reduced);
  std::vector<std::int64_t> offsets;
  Walk walk(plan.reduced, plan.reduced.size(), 0, 0);
  for (std::int64_t i = 0; i < outer; ++i, walk.advance(1)) {
    for (std::int64_t s = 0; s < plan.segments; ++s) {
      offsets.push_back(walk.offset() + s * kRowSegment * plan.run_stride);
    }
  }
  return offsets;
}

void cut(ReducePlan& plan) {
  if (plan.by_rows) {
    plan.run = plan.reduced.back().extent;
    plan.run_stride = plan.reduced.back().strides[0];
    plan.reduced.pop_back();
    plan.segments = ceil_div(plan.run, kRowSegment);
    plan.units_per_piece =
        plan.segments > 1 ? 1 : std::max<std::int64_t>(1, kRowSegment / plan.run);
  } else {
    plan.units_per_piece = kColumnSegment;
  }
  plan.units = product(plan.reduced) * plan.segments;
  plan.pieces = ceil_div(plan.units, plan.units_per_piece);
  plan.kept_columns = plan.kept.back().extent;
  plan.kept_rows = product(plan.kept) / plan.kept_columns;
  const std::int64_t each =
      std::min(plan.units_per_piece, plan.units) * std::min(plan.run, kRowSegment);
  plan.columns_per_task =
      plan.by_rows ? std::max<std::int64_t>(1, kReduceTask / each) : kReduceColumns;
  plan.columns_per_task = std::min(plan.columns_per_task, plan.kept_columns);
  plan.column_tasks = ceil_div(plan.kept_columns, plan.columns_per_task);
  plan.rows_per_task = std::max<std::int64_t>(1, kReduceTask / (each * plan.columns_per_task));
  plan.row_tasks = ceil_div(plan.kept_rows, plan.rows_per_task);
}

ReducePlan plan_reduce(const ReduceSpec& spec) {
  ReducePlan plan;
  std::vector<Dim> kept, reduced;
  std::int64_t dense = 1;
  for (std::size_t d = spec.kept_extents.size(); d-- > 0;) {
    kept.insert(kept.begin(), {spec.kept_extents[d], {spec.kept_strides[d], dense}});
    dense *= spec.kept_extents[d];
  }
  for (std::size_t d = 0; d < spec.reduced_extents.size(); ++d) {
    reduced.push_back({spec.reduced_extents[d], {spec.reduced_strides[d]}});
  }
  sort_by_x(kept);
  sort_by_x(reduced);
  plan.kept = merged(kept);
  plan.reduced = merged(reduced);
  if (plan.kept.empty()) plan.kept.push_back({1, {0, 1}});
  if (plan.reduced.empty()) plan.reduced.push_back({1, {1}});
  plan.empty = product(plan.kept) == 0 || product(plan.reduced) == 0;
  if (plan.empty) return plan;
  const Dim &kept_run = plan.kept.back(), &run = plan.reduced.back();
  const bool too_short = run.extent < kShortRun && kept_run.extent >= kShortRun;
  plan.by_rows = kept_run.extent == 1 || (run.strides[0] < kept_run.strides[0] && !too_short);
  cut(plan);
  return plan;
}

DType fold_dtype(const ReduceSpec& spec) {
  if (spec.x == DType::boolean && spec.kind == Combine::sum) return DType::i32;
  return is_half(spec.x) ? DType::f32 : spec.x;
}

class ReduceJob {
 public:
  ReduceJob(const ReducePlan& plan, const ReduceSpec& spec, const Call* calls, char* partial)
      : plan_(plan), spec_(spec), calls_(calls), partial_(partial) {
    const auto x = static_cast<int>(spec.x), kind = static_cast<int>(spec.kind);
    fold_ = plan.by_rows ? table_.fold_rows[x][kind] : table_.fold_columns[x][kind];
    // Partial folds are joined by a fold of columns in the type that they are held in.
    join_ = table_.fold_columns[static_cast<int>(fold_dtype(spec))][kind];
    size_ = bytes_of(fold_dtype(spec));
    results_ = product(plan.kept);
  }

  std::int64_t tasks() const { return plan_.tasks(); }
  std::int64_t partial_bytes() const { return plan_.pieces * results_ * size_; }
  std::int64_t join_tasks() const { return ceil_div(results_, kReduceColumns); }

  void task(std::int64_t i) const {
    const std::int64_t call = i / tasks();
    i %= tasks();
    const std::int64_t piece = i % plan_.pieces;
    i /= plan_.pieces;
    const std::int64_t column = i % plan_.column_tasks * plan_.columns_per_task;
    const std::int64_t row = i / plan_.column_tasks * plan_.rows_per_task;
    const std::int64_t end = std::min(row + plan_.rows_per_task, plan_.kept_rows);
    for (std::int64_t r = row; r < end; ++r) fold(call, piece, r, column);
  }

  void join(std::int64_t i) const {
    const std::int64_t call = i / join_tasks(), first = i % join_tasks() * kReduceColumns;
    const std::int64_t n = std::min(kReduceColumns, results_ - first);
    thread_local std::vector<std::int64_t> offsets;
    offsets.clear();
    for (std::int64_t p = 0; p < plan_.pieces; ++p) offsets.push_back(p * results_);
    FoldArgs args;
    args.x = partial_ + (call * plan_.pieces * results_ + first) * size_;
    args.offsets = offsets.data();
    args.count = plan_.pieces;
    args.n = n;
    alignas(64) double sums[kReduceColumns];
    join_(sums, args);
    write(call, first, 1, sums, n);
  }

  void fill_empty(std::int64_t call) const {
    alignas(64) double value[1];
    FoldArgs args;
    args.n = 1;
    join_(value, args);
    for (std::int64_t k = 0; k < results_; ++k) write(call, k, 1, value, 1);
  }

 private:
  // One partial fold of the kept columns from `column` on, into the partial results or into y.
  void fold(std::int64_t call, std::int64_t piece, std::int64_t row, std::int64_t column) const {
    const std::size_t outer = plan_.kept.size() - 1;
    const Dim& columns = plan_.kept.back();
    FoldArgs args;
    args.x = static_cast<const char*>(calls_[call].inputs[0]) +
             (Walk(plan_.kept, outer, 0, row).offset() + column * columns.strides[0]) *
                 bytes_of(spec_.x);
    const std::int64_t unit = piece * plan_.units_per_piece;
    args.offsets = plan_.offsets.data() + unit;
    args.count = std::min(plan_.units_per_piece, plan_.units - unit);
    args.length = plan_.run;
    if (plan_.segments > 1) {
      args.length = std::min(kRowSegment, plan_.run - unit % plan_.segments * kRowSegment);
    }
    args.stride = plan_.run_stride;
    args.y_stride = columns.strides[0];
    const std::int64_t end = std::min(column + plan_.columns_per_task, plan_.kept_columns);
    const std::int64_t y = Walk(plan_.kept, outer, 1, row).offset();
    const std::int64_t partial = (call * plan_.pieces + piece) * results_ * size_;
    alignas(64) double some[kReduceColumns];
    for (std::int64_t c = column; c < end; c += kReduceColumns) {
      args.n = std::min(kReduceColumns, end - c);
      const std::int64_t at = y + c * columns.strides[1];
      fold_(some, args);
      if (plan_.pieces == 1) {
        write(call, at, columns.strides[1], some, args.n);
      } else {
        scatter(partial_ + partial, size_, at, columns.strides[1], some, args.n);
      }
      args.x = static_cast<const char*>(args.x) +
               kReduceColumns * columns.strides[0] * bytes_of(spec_.x);
    }
  }

  static void scatter(char* y, std::int64_t size, std::int64_t at, std::int64_t stride,
                      const void* values, std::int64_t n) {
    const auto* from = static_cast<const char*>(values);
    if (stride == 1) {
      std::memcpy(y + at * size, from, static_cast<std::size_t>(n * size));
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      std::memcpy(y + (at + i * stride) * size, from + i * size, static_cast<std::size_t>(size));
    }
  }

  void write(std::int64_t call, std::int64_t at, std::int64_t stride, const void* values,
             std::int64_t n) const {
    auto* y = static_cast<char*>(calls_[call].outputs[0]);
    if (!is_half(spec_.y)) return scatter(y, size_, at, stride, values, n);
    alignas(64) std::uint16_t halves[kReduceColumns];
    table_.stores[static_cast<int>(spec_.y)](halves, values, n);
    scatter(y, 2, at, stride, halves, n);
  }

  const ReducePlan& plan_;
  const ReduceSpec& spec_;
  const Call* calls_;
  char* partial_;
  const BlockTable& table_ = blocks();
  FoldBlock fold_ = nullptr, join_ = nullptr;
  std::int64_t size_ = 4, results_ = 1;
};

void describe(SpecKey& key, const ReduceSpec& spec) {
  key.add(spec.kept_extents);
  key.add(spec.kept_strides);
  key.add(spec.reduced_extents);
  key.add(spec.reduced_strides);
}

}  // namespace

double flops(const ReduceSpec& spec) {
  return static_cast<double>(product(spec.kept_extents)) *
         static_cast<double>(product(spec.reduced_extents));
}

Pieces pieces(const ReduceSpec& spec) {
  const ReducePlan plan = plan_reduce(spec);
  if (plan.empty) return {};
  return {plan.tasks(), plan.units * (plan.by_rows ? product(plan.kept) : plan.kept_rows),
          product(spec.kept_extents) * product(spec.reduced_extents)};
}

void reduce(Pool& pool, const ReduceSpec& spec, const Call* calls, int count) {
  const DType held = fold_dtype(spec);
  MTFC_CHECK(spec.y == (is_half(spec.x) ? spec.y : held) && repr_of(spec.y) == repr_of(held),
             "a reduction into another type");
  thread_local Plans<ReducePlan> plans;
  thread_local Scratch memory;
  describe(plans.start(), spec);
  const ReducePlan& plan = plans.find([&] {
    ReducePlan made = plan_reduce(spec);
    if (!made.empty) made.offsets = offsets_of(made);
    return made;
  });
  const ReduceJob sizes(plan, spec, calls, nullptr);
  if (plan.empty) {
    for (int c = 0; c < count; ++c) sizes.fill_empty(c);
    return;
  }
  char* partial = nullptr;
  if (plan.pieces > 1)
    partial = memory.take(static_cast<std::size_t>(sizes.partial_bytes() * count));
  const ReduceJob job(plan, spec, calls, partial);
  pool.run(job.tasks() * count, [&job](std::int64_t i) { job.task(i); });
  if (plan.pieces > 1) {
    pool.run(job.join_tasks() * count, [&job](std::int64_t i) { job.join(i); });
  }
}

}  // namespace mtfc::runtime
