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

constexpr std::int64_t kWindowTask = 1 << 15;  // elements
constexpr std::int64_t kRun = 256;  // elements of a run that one task of an addition owns

// y is walked in rows: `length` runs of `run` elements that are contiguous in y and x; along a row
// every place moves evenly, so that what is inside is one range. Adding, the dimensions that no
// item depends on come first: what lies under one of their places is added up by one task.
struct WindowPlan {
  std::vector<Dim> dims;  // of the rows; strides: y, x, then the places of every item
  std::int64_t run = 1, length = 1;
  std::int64_t y_step = 1, x_step = 0;  // along a row, items apart
  std::vector<std::int64_t> steps;      // of every place along a row
  std::int64_t rows = 1, owned = 1;     // owned: rows of the leading independent dimensions
};

bool moves(const WindowSpec& spec, std::size_t d) {
  return std::any_of(spec.items.begin(), spec.items.end(),
                     [d](const WindowSpec::Item& item) { return item.scales[d] != 0; });
}

WindowPlan plan_window(const WindowSpec& spec, bool adds) {
  WindowPlan plan;
  std::size_t rank = spec.extents.size();
  const auto runs_on = [&](std::size_t d) {
    return spec.extents[d] == 1 || (spec.x_strides[d] == plan.run && !moves(spec, d));
  };
  while (rank > 0 && runs_on(rank - 1)) plan.run *= spec.extents[--rank];
  std::vector<Dim> owned, rest;
  std::int64_t y_stride = plan.run;
  for (std::size_t d = rank; d-- > 0;) {
    Dim dim{spec.extents[d], {y_stride, spec.x_strides[d]}};
    for (const WindowSpec::Item& item : spec.items) dim.strides.push_back(item.scales[d]);
    y_stride *= spec.extents[d];
    const bool independent = adds && spec.x_strides[d] != 0 && !moves(spec, d);
    auto& list = independent ? owned : rest;
    list.insert(list.begin(), dim);
  }
  owned = merged(owned);
  rest = merged(rest);
  plan.steps.assign(spec.items.size(), 0);
  if (!rest.empty()) {
    plan.length = rest.back().extent;
    plan.y_step = rest.back().strides[0];
    plan.x_step = rest.back().strides[1];
    plan.steps.assign(rest.back().strides.begin() + 2, rest.back().strides.end());
    rest.pop_back();
  }
  plan.owned = product(owned);
  plan.dims = owned;
  plan.dims.insert(plan.dims.end(), rest.begin(), rest.end());
  plan.rows = product(plan.dims);
  return plan;
}

const WindowPlan& find_plan(const WindowSpec& spec, bool adds) {
  thread_local Plans<WindowPlan> plans;
  SpecKey& key = plans.start();
  key.add(std::int64_t{adds});
  key.add(spec.extents);
  key.add(spec.x_strides);
  for (const WindowSpec::Item& item : spec.items) key.add(item.scales);
  return plans.find([&] { return plan_window(spec, adds); });
}

// What of a row lies inside, and where it begins.
struct Row {
  std::int64_t y = 0;                // first element
  std::int64_t x = 0;                // where element 0 of the row would be
  std::int64_t first = 0, last = 0;  // runs from `first` to before `last` are inside
};

class WindowRows {
 public:
  WindowRows(const WindowPlan& plan, const WindowSpec& spec, const Call& call, std::int64_t row)
      : plan_(plan), spec_(spec) {
    MTFC_CHECK(spec.items.size() <= WindowSpec::kMostItems, "too many items in a window");
    for (std::size_t t = 0; t < spec.items.size() + 2; ++t)
      walks_[t] = Walk(plan.dims, plan.dims.size(), t, row);
    for (std::size_t j = 0; j < spec.items.size(); ++j)
      begins_[j] = spec.items[j].begin.at(call.coordinates);
    x_step_ = plan.x_step;
    for (std::size_t j = 0; j < spec.items.size(); ++j)
      x_step_ += plan.steps[j] * spec.items[j].x_stride;
  }
  void advance() {
    for (std::size_t t = 0; t < spec_.items.size() + 2; ++t) walks_[t].advance(1);
  }
  std::int64_t x_step() const { return x_step_; }

  Row row() const {
    Row row{walks_[0].offset(), walks_[1].offset(), 0, plan_.length};
    for (std::size_t j = 0; j < spec_.items.size(); ++j) {
      const WindowSpec::Item& item = spec_.items[j];
      const std::int64_t place = begins_[j] + walks_[j + 2].offset(), step = plan_.steps[j];
      row.x += place * item.x_stride;
      if (step == 0) {
        if (place < 0 || place >= item.extent) row.last = 0;
      } else if (step > 0) {
        row.first = std::max(row.first, above(-place, step));
        row.last = std::min(row.last, above(item.extent - place, step));
      } else {
        row.first = std::max(row.first, above(place - item.extent + 1, -step));
        row.last = std::min(row.last, above(place + 1, -step));
      }
    }
    row.last = std::max(row.last, std::int64_t{0});
    row.first = std::min(row.first, row.last);
    return row;
  }

 private:
  // a / b rounded up, b > 0.
  static std::int64_t above(std::int64_t a, std::int64_t b) {
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
  }

  const WindowPlan& plan_;
  const WindowSpec& spec_;
  Walk walks_[WindowSpec::kMostItems + 2];
  std::int64_t begins_[WindowSpec::kMostItems] = {};
  std::int64_t x_step_ = 0;
};

template <class T>
void fill_runs(T* y, std::int64_t step, std::int64_t runs, std::int64_t run, T value) {
  for (std::int64_t i = 0; i < runs; ++i) std::fill_n(y + i * step, run, value);
}

template <class T>
void copy_runs(T* y, std::int64_t y_step, const T* x, std::int64_t x_step, std::int64_t runs,
               std::int64_t run) {
  if (x_step == run && y_step == run) {
    std::memcpy(y, x, static_cast<std::size_t>(runs * run) * sizeof(T));
  } else if (run == 1) {
    for (std::int64_t i = 0; i < runs; ++i) y[i * y_step] = x[i * x_step];
  } else {
    for (std::int64_t i = 0; i < runs; ++i)
      std::memcpy(y + i * y_step, x + i * x_step, static_cast<std::size_t>(run) * sizeof(T));
  }
}

struct WindowJob {
  const WindowSpec& spec;
  const WindowPlan& plan;
  const Call* calls;
  std::int64_t rows_per_task, tasks;
  std::uint64_t fill = 0;

  template <class T>
  void rows(const Call& call, std::int64_t begin, std::int64_t end) const {
    const auto* x = static_cast<const T*>(call.inputs[0]);
    auto* y = static_cast<T*>(call.outputs[0]);
    T value;
    std::memcpy(&value, &fill, sizeof value);
    WindowRows rows(plan, spec, call, begin);
    for (std::int64_t r = begin; r < end; ++r, rows.advance()) {
      const Row row = rows.row();
      T* to = y + row.y;
      fill_runs(to, plan.y_step, row.first, plan.run, value);
      if (row.first < row.last)
        copy_runs(to + row.first * plan.y_step, plan.y_step, x + row.x + row.first * rows.x_step(),
                  rows.x_step(), row.last - row.first, plan.run);
      fill_runs(to + row.last * plan.y_step, plan.y_step, plan.length - row.last, plan.run, value);
    }
  }

  void task(std::int64_t i) const {
    const Call& call = calls[i / tasks];
    const std::int64_t begin = i % tasks * rows_per_task;
    const std::int64_t end = std::min(begin + rows_per_task, plan.rows);
    switch (bytes_of(spec.dtype)) {
      case 1:
        return rows<std::uint8_t>(call, begin, end);
      case 2:
        return rows<std::uint16_t>(call, begin, end);
      case 4:
        return rows<std::uint32_t>(call, begin, end);
      default:
        return rows<std::uint64_t>(call, begin, end);
    }
  }
};

// Every task adds what lies under some of the independent places, in some columns of the runs, all
// rows in ascending order.
struct AddJob {
  const WindowAddSpec& spec;
  const WindowPlan& plan;
  const Call* calls;
  std::int64_t owned_per_task, owner_tasks, run_tasks;
  char* sums;  // of 16-bit types: x_size f32 per call

  DType dtype() const { return spec.window.dtype; }
  bool half() const { return is_half(dtype()); }
  std::int64_t size() const { return bytes_of(repr_of(dtype())); }
  std::int64_t tasks() const { return owner_tasks * run_tasks; }
  char* target(std::int64_t call) const {
    return half() ? sums + call * spec.x_size * size() : static_cast<char*>(calls[call].outputs[0]);
  }

  template <class T>
  static void add(T* x, const T* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) x[i] += y[i];
  }

  template <class T>
  void add_rows(std::int64_t i) const {
    const Call& call = calls[i / tasks()];
    const std::int64_t column = i % run_tasks * kRun;
    const std::int64_t columns = std::min(kRun, plan.run - column);
    const std::int64_t owner = i / run_tasks % owner_tasks * owned_per_task;
    const std::int64_t below = plan.rows / plan.owned;
    const std::int64_t begin = owner * below;
    const std::int64_t end = std::min(owner + owned_per_task, plan.owned) * below;
    const auto* y = static_cast<const char*>(call.inputs[0]);
    auto* x = reinterpret_cast<T*>(target(i / tasks())) + column;
    alignas(64) T loaded[kRun];
    WindowRows rows(plan, spec.window, call, begin);
    for (std::int64_t r = begin; r < end; ++r, rows.advance()) {
      const Row row = rows.row();
      const std::int64_t step = rows.x_step();
      const bool dense = step == plan.run && plan.y_step == plan.run && columns == plan.run;
      if (dense && !half() && row.first < row.last) {
        add(x + row.x + row.first * step, reinterpret_cast<const T*>(y) + row.y + row.first * step,
            (row.last - row.first) * step);
        continue;
      }
      for (std::int64_t k = row.first; k < row.last; ++k) {
        const char* from = y + (row.y + k * plan.y_step + column) * bytes_of(dtype());
        T* to = x + row.x + k * step;
        if (half()) {
          blocks().loads[static_cast<int>(dtype())](loaded, from, 1, 0, columns, 1);
          add(to, loaded, columns);
        } else if (columns == 1) {
          *to += *reinterpret_cast<const T*>(from);
        } else {
          add(to, reinterpret_cast<const T*>(from), columns);
        }
      }
    }
  }

  void task(std::int64_t i) const {
    switch (repr_of(dtype())) {
      case Repr::f64:
        return add_rows<double>(i);
      case Repr::i32:
        return add_rows<std::uint32_t>(i);  // wraps
      default:
        return add_rows<float>(i);
    }
  }
  void round(std::int64_t call) const {
    blocks().stores[static_cast<int>(dtype())](calls[call].outputs[0], target(call), spec.x_size);
  }
};

}  // namespace

void window(Pool& pool, const WindowSpec& spec, const Call* calls, int count) {
  const WindowPlan& plan = find_plan(spec, false);
  if (plan.rows == 0 || plan.length == 0 || plan.run == 0) return;
  const std::int64_t rows = std::max<std::int64_t>(1, kWindowTask / (plan.length * plan.run));
  WindowJob job{spec, plan, calls, rows, (plan.rows + rows - 1) / rows, 0};
  const auto dtype = static_cast<int>(spec.dtype);
  double value = 0;  // in its block representation, of at most 8 bytes
  blocks().casts[dtype][static_cast<int>(Repr::f64)](&value, &spec.fill, 1);
  blocks().stores[dtype](&job.fill, &value, 1);
  pool.run(job.tasks * count, [&job](std::int64_t i) { job.task(i); });
}

void window_add(Pool& pool, const WindowAddSpec& spec, const Call* calls, int count) {
  MTFC_CHECK(spec.window.dtype != DType::boolean, "a sum of bool");
  thread_local Scratch memory;
  const WindowPlan& plan = find_plan(spec.window, true);
  const std::int64_t each =
      std::max<std::int64_t>(1, plan.rows / plan.owned * plan.length * std::min(plan.run, kRun));
  const std::int64_t owned = std::max<std::int64_t>(1, kWindowTask / each);
  AddJob job{
      spec,   plan, calls, owned, (plan.owned + owned - 1) / owned, (plan.run + kRun - 1) / kRun,
      nullptr};
  if (job.half()) job.sums = memory.take(static_cast<std::size_t>(spec.x_size * 4 * count));
  clear(pool, spec.x_size * job.size(), count,
        [&job](std::int64_t i) { return static_cast<void*>(job.target(i)); });
  if (plan.rows > 0 && plan.length > 0 && plan.run > 0)
    pool.run(job.tasks() * count, [&job](std::int64_t i) { job.task(i); });
  if (job.half()) pool.run(count, [&job](std::int64_t i) { job.round(i); });
}

}  // namespace mtfc::runtime
