#include "kernels/top_k.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/element_loops.h"
#include "kernels/line_tasks.h"
#include "kernels/scratch.h"
#include "support/check.h"

namespace mtfc::runtime {
namespace {

template <class T>
bool is_nan(T value) {
  return value != value;
}

struct TopKJob {
  const TopKSpec& spec;
  const Call* calls;
  LineTasks tasks;

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
                          line * spec.k * spec.inner + column;
                for (std::int64_t c = 0; c < n; ++c) {
                  blocks().loads[static_cast<int>(spec.dtype)](values, x + c * size, 1, 0,
                                                               spec.length, spec.inner);
                  sort(values, order);
                  for (std::int64_t r = 0; r < spec.k; ++r)
                    y[r * spec.inner + c] = order[static_cast<std::size_t>(spec.first + r)];
                }
              });
  }

  template <class T>
  void sort(const T* values, std::vector<std::int32_t>& order) const {
    order.resize(static_cast<std::size_t>(spec.length));
    std::iota(order.begin(), order.end(), 0);
    const auto before = [values](std::int32_t a, std::int32_t b) {
      const T p = values[a], q = values[b];
      if (is_nan(p) || is_nan(q)) return is_nan(p) == is_nan(q) ? a < b : is_nan(q);
      return p > q || (p == q && a < b);
    };
    // Selection puts the first one wanted in its place, what is larger before it.
    const auto wanted = order.begin() + spec.first;
    std::nth_element(order.begin(), wanted, order.end(), before);
    if (spec.k > 1) std::partial_sort(wanted, wanted + spec.k, order.end(), before);
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

Pieces pieces(const TopKSpec& spec) {
  const LineTasks tasks(spec.outer, spec.length, spec.inner);
  return {tasks.count(), spec.outer * tasks.column_tasks, spec.outer * spec.length * spec.inner};
}

void top_k(Pool& pool, const TopKSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.first + spec.k <= spec.length, "more results than elements");
  const TopKJob job{spec, calls, LineTasks(spec.outer, spec.length, spec.inner)};
  pool.run(job.tasks.count() * count, [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
