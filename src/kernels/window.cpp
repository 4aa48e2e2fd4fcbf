#include "kernels/window.h"

#include <cstring>

#include "kernels/copy_bytes.h"
#include "kernels/fill_bits.h"
#include "kernels/window_rows.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

template <class T>
void fill_runs(T* y, std::int64_t step, std::int64_t runs, std::int64_t run, T value) {
  for (std::int64_t i = 0; i < runs; ++i) std::fill_n(y + i * step, run, value);
}

template <class T>
void copy_runs(T* y, std::int64_t y_step, const T* x, std::int64_t x_step, std::int64_t runs,
               std::int64_t run) {
  if (x_step == run && y_step == run) {
    copy_bytes(y, x, static_cast<std::size_t>(runs * run) * sizeof(T));
  } else if (run == 1) {
    for (std::int64_t i = 0; i < runs; ++i) y[i * y_step] = x[i * x_step];
  } else {
    for (std::int64_t i = 0; i < runs; ++i)
      copy_bytes(y + i * y_step, x + i * x_step, static_cast<std::size_t>(run) * sizeof(T));
  }
}

struct WindowJob {
  const WindowSpec& spec;
  const WindowPlan& plan;
  const Call* calls;
  std::int64_t bands_per_task, tasks;
  std::uint64_t fill = 0;

  WindowJob(const WindowSpec& window, const WindowPlan& its_plan, const Call* all)
      : spec(window), plan(its_plan), calls(all) {
    bands_per_task = std::max<std::int64_t>(1, kWindowTask / band_elements(plan, plan.run));
    tasks = ceil_div(plan.bands, bands_per_task);
  }

  template <class T>
  void bands(const Call& call, std::int64_t begin, std::int64_t end) const {
    const auto* x = static_cast<const T*>(call.inputs[0]);
    auto* y = static_cast<T*>(call.outputs[0]);
    T value;
    std::memcpy(&value, &fill, sizeof value);
    WindowBands walk(plan, spec, call, begin);
    const std::int64_t x_step = walk.x_step();
    for (std::int64_t b = begin; b < end; ++b, walk.advance()) {
      for (std::int64_t r = 0; r < plan.band.extent; ++r) {
        const WindowRow row = walk.row(r);
        T* to = y + row.y;
        fill_runs(to, plan.y_step, row.first, plan.run, value);
        if (row.first < row.last)
          copy_runs(to + row.first * plan.y_step, plan.y_step, x + row.x + row.first * x_step,
                    x_step, row.last - row.first, plan.run);
        fill_runs(to + row.last * plan.y_step, plan.y_step, plan.length - row.last, plan.run,
                  value);
      }
    }
  }

  void task(std::int64_t i) const {
    const Call& call = calls[i / tasks];
    const std::int64_t begin = i % tasks * bands_per_task;
    const std::int64_t end = std::min(begin + bands_per_task, plan.bands);
    switch (bytes_of(spec.dtype)) {
      case 1:
        return bands<std::uint8_t>(call, begin, end);
      case 2:
        return bands<std::uint16_t>(call, begin, end);
      case 4:
        return bands<std::uint32_t>(call, begin, end);
      default:
        return bands<std::uint64_t>(call, begin, end);
    }
  }
};

}  // namespace

Pieces pieces(const WindowSpec& spec) {
  const WindowPlan& plan = find_window_plan(spec, false);
  const auto seeks = static_cast<std::int64_t>(spec.items.size()) + 2;
  return {WindowJob(spec, plan, nullptr).tasks, plan.bands * seeks, product(spec.extents)};
}

void window(Pool& pool, const WindowSpec& spec, const Call* calls, int count) {
  const WindowPlan& plan = find_window_plan(spec, false);
  if (plan.rows() == 0 || plan.length == 0 || plan.run == 0) return;
  WindowJob job(spec, plan, calls);
  job.fill = fill_bits(spec.dtype, spec.fill);
  pool.run(job.tasks * count, [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
