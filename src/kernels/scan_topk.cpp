// What runs along one of three dense dimensions: running sums, and the places of what is largest.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/element_loops.h"
#include "kernels/kernels.h"
#include "kernels/scratch.h"
#include "support/check.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kScanColumns = 256;   // side by side, one task each
constexpr std::int64_t kScanTask = 1 << 15;  // elements

/// `lines` outer places with `columns` inner ones each make a task.
struct Tasks {
  std::int64_t columns = 1, column_tasks = 1, lines = 1, line_tasks = 1;

  Tasks(std::int64_t outer, std::int64_t length, std::int64_t inner) {
    columns = std::min(inner, kScanColumns);
    if (inner == 0) return;
    column_tasks = (inner + columns - 1) / columns;
    lines = std::max<std::int64_t>(1, kScanTask / std::max<std::int64_t>(1, length * columns));
    line_tasks = (outer + lines - 1) / lines;
  }
  std::int64_t count() const { return column_tasks * line_tasks; }
};

/// Calls body(call, line, first column, columns) for all lines of task `i`.
template <class Body>
void for_lines(const Tasks& tasks, std::int64_t outer, std::int64_t inner, std::int64_t i,
               const Body& body) {
  const std::int64_t call = i / tasks.count(), task = i % tasks.count();
  const std::int64_t column = task % tasks.column_tasks * tasks.columns;
  const std::int64_t begin = task / tasks.column_tasks * tasks.lines;
  for (std::int64_t line = begin; line < std::min(begin + tasks.lines, outer); ++line)
    body(call, line, column, std::min(tasks.columns, inner - column));
}

// ---------------------------------------------------------------- running sums
struct PrefixJob {
  const PrefixSpec& spec;
  const Call* calls;
  Tasks tasks;

  std::int64_t place(std::int64_t k) const { return spec.reverse ? spec.length - 1 - k : k; }

  template <class T>
  void run(std::int64_t i) const {
    for_lines(tasks, spec.outer, spec.inner, i,
              [this](std::int64_t call, std::int64_t line, std::int64_t column, std::int64_t n) {
                const std::int64_t at = line * spec.length * spec.inner + column;
                sum(static_cast<const T*>(calls[call].inputs[0]) + at,
                    static_cast<T*>(calls[call].outputs[0]) + at, n);
              });
  }

  /// n neighbouring columns.
  template <class T>
  void sum(const T* x, T* y, std::int64_t n) const {
    T total[kScanColumns] = {};
    for (std::int64_t k = 0; k < spec.length; ++k) {
      const T* from = x + place(k) * spec.inner;
      T* to = y + place(k) * spec.inner;
      if (spec.exclusive) std::copy_n(total, n, to);
      for (std::int64_t c = 0; c < n; ++c) total[c] += from[c];
      if (!spec.exclusive) std::copy_n(total, n, to);
    }
  }

  void run_half(std::int64_t i) const {
    const auto dtype = static_cast<int>(spec.dtype);
    for_lines(tasks, spec.outer, spec.inner, i,
              [&](std::int64_t call, std::int64_t line, std::int64_t column, std::int64_t n) {
                const std::int64_t at = line * spec.length * spec.inner + column;
                const auto* x = static_cast<const std::uint16_t*>(calls[call].inputs[0]) + at;
                auto* y = static_cast<std::uint16_t*>(calls[call].outputs[0]) + at;
                float total[kScanColumns] = {}, loaded[kScanColumns], rounded[kScanColumns];
                const auto store = [&](std::int64_t k) {
                  blocks().rounds[dtype](rounded, total, n);
                  blocks().stores[dtype](y + place(k) * spec.inner, rounded, n);
                };
                for (std::int64_t k = 0; k < spec.length; ++k) {
                  blocks().loads[dtype](loaded, x + place(k) * spec.inner, 1, 0, n, 1);
                  if (spec.exclusive) store(k);
                  for (std::int64_t c = 0; c < n; ++c) total[c] += loaded[c];
                  if (!spec.exclusive) store(k);
                }
              });
  }

  void task(std::int64_t i) const {
    if (is_half(spec.dtype)) return run_half(i);
    switch (repr_of(spec.dtype)) {
      case Repr::f64:
        return run<double>(i);
      case Repr::i32:
        return run<std::uint32_t>(i);  // wraps
      default:
        return run<float>(i);
    }
  }
};

// ---------------------------------------------------------------- places of the largest
template <class T>
bool is_nan(T value) {
  return value != value;
}

struct TopJob {
  const TopSpec& spec;
  const Call* calls;
  Tasks tasks;

  template <class T>
  void run(std::int64_t i) const {
    const std::int64_t size = bytes_of(spec.dtype);
    thread_local std::vector<std::int32_t> order;
    thread_local Scratch memory;
    auto* values =
        reinterpret_cast<T*>(memory.take(static_cast<std::size_t>(spec.length) * sizeof(T)));
    for_lines(tasks, spec.outer, spec.inner, i,
              [&](std::int64_t call, std::int64_t line, std::int64_t column, std::int64_t n) {
                const auto* x = static_cast<const char*>(calls[call].inputs[0]) +
                                (line * spec.length * spec.inner + column) * size;
                auto* y = static_cast<std::int32_t*>(calls[call].outputs[0]) +
                          line * spec.ranks * spec.inner + column;
                for (std::int64_t c = 0; c < n; ++c) {
                  blocks().loads[static_cast<int>(spec.dtype)](values, x + c * size, 1, 0,
                                                               spec.length, spec.inner);
                  rank(values, order);
                  for (std::int64_t r = 0; r < spec.ranks; ++r)
                    y[r * spec.inner + c] = order[static_cast<std::size_t>(spec.first + r)];
                }
              });
  }

  template <class T>
  void rank(const T* values, std::vector<std::int32_t>& order) const {
    order.resize(static_cast<std::size_t>(spec.length));
    std::iota(order.begin(), order.end(), 0);
    const auto before = [values](std::int32_t a, std::int32_t b) {
      const T p = values[a], q = values[b];
      if (is_nan(p) || is_nan(q)) return is_nan(p) == is_nan(q) ? a < b : is_nan(q);
      return p > q || (p == q && a < b);
    };
    // Selection puts the first wanted rank in its place, what ranks higher before it.
    const auto wanted = order.begin() + spec.first;
    std::nth_element(order.begin(), wanted, order.end(), before);
    if (spec.ranks > 1) std::partial_sort(wanted, wanted + spec.ranks, order.end(), before);
  }

  void task(std::int64_t i) const {
    switch (repr_of(spec.dtype)) {
      case Repr::f64:
        return run<double>(i);
      case Repr::i32:
        return run<std::int32_t>(i);
      case Repr::boolean:
        return run<std::uint8_t>(i);
      default:
        return run<float>(i);
    }
  }
};

}  // namespace

void prefix_sum(Pool& pool, const PrefixSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.dtype != DType::boolean, "a sum of bool");
  const PrefixJob job{spec, calls, Tasks(spec.outer, spec.length, spec.inner)};
  pool.run(job.tasks.count() * count, [&job](std::int64_t i) { job.task(i); });
}

void top_places(Pool& pool, const TopSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.first + spec.ranks <= spec.length, "more ranks than elements");
  const TopJob job{spec, calls, Tasks(spec.outer, spec.length, spec.inner)};
  pool.run(job.tasks.count() * count, [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
