#include "kernels/window_add.h"

#include <algorithm>

#include "kernels/element_loops.h"
#include "kernels/wide_sums.h"
#include "kernels/window_rows.h"
#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kRun = 256;  // elements of a run that one task owns

// Every task adds what lies under some of the independent seeks, in some columns of the runs, all
// bands in ascending order.
struct WindowAddJob {
  const WindowAddSpec& spec;
  const WindowPlan& plan;
  const Call* calls;
  std::int64_t owned_per_task, owner_tasks, run_tasks;
  WideSums sums;

  WindowAddJob(const WindowAddSpec& window, const WindowPlan& its_plan, const Call* all)
      : spec(window), plan(its_plan), calls(all), sums(spec.window.dtype, spec.x_size, all) {
    const std::int64_t bands = plan.bands / std::max<std::int64_t>(1, plan.owned);
    const std::int64_t each =
        std::max<std::int64_t>(1, bands * band_elements(plan, std::min(plan.run, kRun)));
    owned_per_task = std::max<std::int64_t>(1, kWindowTask / each);
    owner_tasks = ceil_div(plan.owned, owned_per_task);
    run_tasks = ceil_div(plan.run, kRun);
  }

  DType dtype() const { return spec.window.dtype; }
  std::int64_t tasks() const { return owner_tasks * run_tasks; }

  template <class T>
  static void add(T* x, const T* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) x[i] += y[i];
  }
  template <class T>
  void add_run(T* x, const char* y, std::int64_t n) const {
    if (!sums.is_wide()) return add(x, reinterpret_cast<const T*>(y), n);
    alignas(64) T loaded[kRun];
    for (std::int64_t i = 0; i < n; i += kRun) {
      const std::int64_t now = std::min(kRun, n - i);
      blocks().loads[static_cast<int>(dtype())](loaded, y + i * bytes_of(dtype()), 1, 0, now, 1);
      add(x + i, loaded, now);
    }
  }

  template <class T>
  void add_bands(std::int64_t i) const {
    const Call& call = calls[i / tasks()];
    const std::int64_t column = i % run_tasks * kRun;
    const std::int64_t columns = std::min(kRun, plan.run - column);
    const std::int64_t owner = i / run_tasks % owner_tasks * owned_per_task;
    const std::int64_t below = plan.bands / plan.owned;
    const std::int64_t begin = owner * below;
    const std::int64_t end = std::min(owner + owned_per_task, plan.owned) * below;
    const auto* y = static_cast<const char*>(call.inputs[0]);
    auto* x = reinterpret_cast<T*>(sums.of(i / tasks())) + column;
    WindowBands walk(plan, spec.window, call, begin);
    const std::int64_t step = walk.x_step();
    const bool dense = step == plan.run && plan.y_step == plan.run && columns == plan.run;
    for (std::int64_t b = begin; b < end; ++b, walk.advance()) {
      for (std::int64_t r = 0; r < plan.band.extent; ++r) {
        const WindowRow row = walk.row(r);
        const std::int64_t inside = row.last - row.first, runs = dense ? 1 : inside;
        const char* from = y + (row.y + row.first * plan.y_step + column) * bytes_of(dtype());
        T* to = x + row.x + row.first * step;
        for (std::int64_t k = 0; k < runs; ++k)
          add_run(to + k * step, from + k * plan.y_step * bytes_of(dtype()),
                  dense ? inside * step : columns);
      }
    }
  }

  void task(std::int64_t i) const {
    switch (repr_of(dtype())) {
      case Repr::f64:
        return add_bands<double>(i);
      case Repr::i32:
        return add_bands<std::uint32_t>(i);  // wraps
      default:
        return add_bands<float>(i);
    }
  }
};

}  // namespace

double flops(const WindowAddSpec& spec) {
  return static_cast<double>(product(spec.window.extents));
}

Pieces pieces(const WindowAddSpec& spec) {
  const WindowPlan& plan = find_window_plan(spec.window, true);
  const auto seeks = static_cast<std::int64_t>(spec.window.items.size()) + 2;
  return {WindowAddJob(spec, plan, nullptr).tasks(), plan.bands * seeks,
          product(spec.window.extents)};
}

void window_add(Pool& pool, const WindowAddSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.window.dtype != DType::boolean, "a sum of bool");
  const WindowPlan& plan = find_window_plan(spec.window, true);
  WindowAddJob job(spec, plan, calls);
  job.sums.begin(pool, count);
  if (plan.rows() > 0 && plan.length > 0 && plan.run > 0)
    pool.run(job.tasks() * count, [&job](std::int64_t i) { job.task(i); });
  job.sums.finish(pool, count);
}

}  // namespace mtfc::runtime
