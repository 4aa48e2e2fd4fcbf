#include "kernels/copy.h"

#include <algorithm>
#include <cstring>

#include "kernels/copy_bytes.h"
#include "kernels/extents.h"
#include "kernels/fill_zero.h"
#include "kernels/plan_cache.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kTaskElements = 1 << 15;
constexpr std::int64_t kTile = 16;  // by kTile elements: what a transposition holds at a time

// Rows of columns; if the last dimension is not contiguous in x, but `across` is, the two are
// walked in square tiles.
struct CopyPlan {
  std::vector<Dim> dims;  // strides: x, y; without `across`; the last one is the columns
  Dim across;             // extent 1 if there is none
  std::int64_t rows = 1, columns = 1, rows_per_task = 1, tasks = 0;
  std::int64_t across_per_task = 1, across_tasks = 1;
};

// The copy goes in the order of y, whatever the order of the dimensions in the spec.
void sort_by_y(std::vector<Dim>& dims) {
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return a.strides[1] > b.strides[1]; });
}

/// One long row becomes several for several threads, if a number of them divides it that makes
/// pieces of about a task.
void split_long_row(std::vector<Dim>& dims) {
  const Dim last = dims.back();
  if (last.extent <= kTaskElements) return;
  std::int64_t piece = kTaskElements;
  while (last.extent % piece != 0) --piece;
  if (piece < kTaskElements / 16) return;
  dims.back() = {last.extent / piece, {last.strides[0] * piece, last.strides[1] * piece}};
  dims.push_back({piece, last.strides});
}

CopyPlan plan_copy(const CopySpec& spec) {
  std::vector<Dim> dims;
  for (std::size_t d = 0; d < spec.extents.size(); ++d) {
    dims.push_back({spec.extents[d], {spec.x_strides[d], spec.y_strides[d]}});
  }
  sort_by_y(dims);
  CopyPlan plan;
  plan.across.strides = {0, 0};
  plan.dims = merged(dims);
  if (plan.dims.empty()) plan.dims.push_back({1, {1, 1}});
  if (plan.dims.back().strides[0] != 1) {
    for (std::size_t d = 0; d + 1 < plan.dims.size(); ++d) {
      if (plan.dims[d].strides[0] != 1) continue;
      plan.across = plan.dims[d];
      plan.dims.erase(plan.dims.begin() + static_cast<std::ptrdiff_t>(d));
      break;
    }
  }
  const std::int64_t size = product(plan.dims) * plan.across.extent;
  if (size == 0) return plan;
  if (plan.across.extent == 1) split_long_row(plan.dims);
  plan.columns = plan.dims.back().extent;
  plan.rows = product(plan.dims) / plan.columns;
  plan.across_per_task = std::max<std::int64_t>(1, kTaskElements / plan.columns / kTile) * kTile;
  plan.across_tasks = ceil_div(plan.across.extent, plan.across_per_task);
  plan.rows_per_task =
      std::max<std::int64_t>(1, kTaskElements / (plan.columns * plan.across.extent));
  plan.tasks = ceil_div(plan.rows, plan.rows_per_task) * plan.across_tasks;
  return plan;
}

template <class T>
void copy_row(T* y, std::int64_t y_stride, const T* x, std::int64_t x_stride, std::int64_t n) {
  if (x_stride == 1 && y_stride == 1) {
    copy_bytes(y, x, static_cast<std::size_t>(n) * sizeof(T));
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i * y_stride] = x[i * x_stride];
  }
}

// Four rows of four words become four columns.
void transpose_words(std::uint32_t* y, std::int64_t y_stride, const std::uint32_t* x,
                     std::int64_t x_stride) {
  typedef std::uint32_t Words __attribute__((vector_size(16)));
  Words row[4], pair[4];
#pragma GCC unroll 4  // rows in registers
  for (int i = 0; i < 4; ++i) std::memcpy(&row[i], x + i * x_stride, sizeof row[i]);
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    pair[i] = __builtin_shufflevector(row[i], row[i + 2], 0, 4, 1, 5);
    pair[i + 2] = __builtin_shufflevector(row[i], row[i + 2], 2, 6, 3, 7);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    row[2 * i] = __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 0, 4, 1, 5);
    row[2 * i + 1] = __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 2, 6, 3, 7);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) std::memcpy(y + i * y_stride, &row[i], sizeof row[i]);
}

template <class T>
void transpose(T* y, const T* x, const Dim& columns, const Dim& across) {
  for (std::int64_t c = 0; c < columns.extent; c += kTile) {
    const std::int64_t c_end = std::min(c + kTile, columns.extent);
    for (std::int64_t a = 0; a < across.extent; a += kTile) {
      const std::int64_t a_end = std::min(a + kTile, across.extent);
      if constexpr (sizeof(T) == 4) {
        if (columns.strides[1] == 1 && c_end - c == kTile && a_end - a == kTile) {
          for (std::int64_t i = a; i < a_end; i += 4)
            for (std::int64_t j = c; j < c_end; j += 4)
              transpose_words(y + i * across.strides[1] + j, across.strides[1],
                              x + i + j * columns.strides[0], columns.strides[0]);
          continue;
        }
      }
      for (std::int64_t i = a; i < a_end; ++i) {
        const T* from = x + i * across.strides[0];
        T* to = y + i * across.strides[1];
        for (std::int64_t j = c; j < c_end; ++j) {
          to[j * columns.strides[1]] = from[j * columns.strides[0]];
        }
      }
    }
  }
}

struct CopyJob {
  const CopyPlan& plan;
  const CopySpec& spec;
  const Call* calls;

  template <class T>
  void rows(const Call& call, std::int64_t begin, std::int64_t end, std::int64_t first) const {
    const auto* x = static_cast<const T*>(call.inputs[0]) + spec.x_base.at(call.coordinates);
    auto* y = static_cast<T*>(call.outputs[0]) + spec.y_base.at(call.coordinates);
    const Dim& columns = plan.dims.back();
    Dim across = plan.across;
    across.extent = std::min(plan.across_per_task, across.extent - first);
    x += first * across.strides[0];
    y += first * across.strides[1];
    Walk from(plan.dims, plan.dims.size() - 1, 0, begin);
    Walk to(plan.dims, plan.dims.size() - 1, 1, begin);
    for (std::int64_t r = begin; r < end; ++r, from.advance(1), to.advance(1)) {
      if (plan.across.extent > 1) {
        transpose(y + to.offset(), x + from.offset(), columns, across);
      } else {
        copy_row(y + to.offset(), columns.strides[1], x + from.offset(), columns.strides[0],
                 columns.extent);
      }
    }
  }

  void task(std::int64_t i) const {
    const Call& call = calls[i / plan.tasks];
    i %= plan.tasks;
    const std::int64_t first = i % plan.across_tasks * plan.across_per_task;
    const std::int64_t begin = i / plan.across_tasks * plan.rows_per_task;
    const std::int64_t end = std::min(begin + plan.rows_per_task, plan.rows);
    switch (spec.element_size) {
      case 1:
        return rows<std::uint8_t>(call, begin, end, first);
      case 2:
        return rows<std::uint16_t>(call, begin, end, first);
      case 4:
        return rows<std::uint32_t>(call, begin, end, first);
      default:
        return rows<std::uint64_t>(call, begin, end, first);
    }
  }
};

}  // namespace

Pieces pieces(const CopySpec& spec) {
  const CopyPlan plan = plan_copy(spec);
  const std::int64_t rows = plan.rows * plan.across.extent;
  return {plan.tasks, 2 * rows, rows * plan.columns};
}

void copy(Pool& pool, const CopySpec& spec, const Call* calls, int count) {
  thread_local Plans<CopyPlan> plans;
  SpecKey& key = plans.start();
  key.add(spec.extents);
  key.add(spec.x_strides);
  key.add(spec.y_strides);
  const CopyPlan& plan = plans.find([&] { return plan_copy(spec); });
  const CopyJob job{plan, spec, calls};
  if (spec.zero_y_first) {
    clear(pool, spec.y_size * static_cast<std::int64_t>(spec.element_size), count,
          [calls](std::int64_t i) { return calls[i].outputs[0]; });
  }
  pool.run(plan.tasks * count, [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
