#include "kernels/prefix_sum.h"

#include <algorithm>
#include <type_traits>

#include "kernels/element_loops.h"
#include "kernels/line_tasks.h"
#include "support/check.h"

namespace mtfc::runtime {
namespace {

struct PrefixSumJob {
  const PrefixSumSpec& spec;
  const Call* calls;
  LineTasks tasks;

  std::int64_t index(std::int64_t k) const { return spec.reverse ? spec.length - 1 - k : k; }

  template <class T>
  void run(std::int64_t i) const {
    for_lines(tasks, spec.outer, spec.inner, i,
              [this](std::int64_t call, std::int64_t line, std::int64_t column, std::int64_t n) {
                const std::int64_t at = line * spec.length * spec.inner + column;
                sum(static_cast<const T*>(calls[call].inputs[0]) + at,
                    static_cast<T*>(calls[call].outputs[0]) + at, n);
              });
  }

  /// n neighbouring columns. A long line of floats is added up in double: each of its sums is
  /// rounded once.
  template <class T>
  void sum(const T* x, T* y, std::int64_t n) const {
    using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
    Total total[kLineColumns] = {};
    const auto store = [&](T* to) {
      for (std::int64_t c = 0; c < n; ++c) to[c] = static_cast<T>(total[c]);
    };
    for (std::int64_t k = 0; k < spec.length; ++k) {
      const T* from = x + index(k) * spec.inner;
      T* to = y + index(k) * spec.inner;
      if (spec.exclusive) store(to);
      for (std::int64_t c = 0; c < n; ++c) total[c] += static_cast<Total>(from[c]);
      if (!spec.exclusive) store(to);
    }
  }

  void run_half(std::int64_t i) const {
    const auto dtype = static_cast<int>(spec.dtype);
    for_lines(tasks, spec.outer, spec.inner, i,
              [&](std::int64_t call, std::int64_t line, std::int64_t column, std::int64_t n) {
                const std::int64_t at = line * spec.length * spec.inner + column;
                const auto* x = static_cast<const std::uint16_t*>(calls[call].inputs[0]) + at;
                auto* y = static_cast<std::uint16_t*>(calls[call].outputs[0]) + at;
                float total[kLineColumns] = {}, loaded[kLineColumns], rounded[kLineColumns];
                const auto store = [&](std::int64_t k) {
                  blocks().rounds[dtype](rounded, total, n);
                  blocks().stores[dtype](y + index(k) * spec.inner, rounded, n);
                };
                for (std::int64_t k = 0; k < spec.length; ++k) {
                  blocks().loads[dtype](loaded, x + index(k) * spec.inner, 1, 0, n, 1);
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

}  // namespace

double flops(const PrefixSumSpec& spec) {
  return static_cast<double>(spec.outer) * static_cast<double>(spec.length) *
         static_cast<double>(spec.inner);
}

Pieces pieces(const PrefixSumSpec& spec) {
  const LineTasks tasks(spec.outer, spec.length, spec.inner);
  return {tasks.count(), spec.outer * tasks.column_tasks, spec.outer * spec.length * spec.inner};
}

void prefix_sum(Pool& pool, const PrefixSumSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.dtype != DType::boolean, "a sum of bool");
  const PrefixSumJob job{spec, calls, LineTasks(spec.outer, spec.length, spec.inner)};
  pool.run(job.tasks.count() * count, [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
