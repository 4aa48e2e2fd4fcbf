// What window and window_add walk along: rows of runs, and what of each lies inside.
#pragma once
#include <algorithm>

#include "kernels/extents.h"
#include "kernels/window.h"
#include "support/check.h"

namespace mtfc::runtime {

constexpr std::int64_t kWindowTask = 1 << 15;  // elements

/// y is walked in rows: `length` runs of `run` elements that are contiguous in y and x; along a row
/// every place moves evenly, so that what is inside is one range. Adding, the dimensions that no
/// item depends on come first: what lies under one of their places is added up by one task.
struct WindowPlan {
  std::vector<Dim> dims;  // of the rows; strides: y, x, then the places of every item
  std::int64_t run = 1, length = 1;
  std::int64_t y_step = 1, x_step = 0;  // along a row, items apart
  std::vector<std::int64_t> steps;      // of every place along a row
  std::int64_t rows = 1, owned = 1;     // owned: rows of the leading independent dimensions
};

/// Planned once for each spec and thread. `adds`: for the adjoint.
const WindowPlan& find_window_plan(const WindowSpec& spec, bool adds);

/// What a row takes, in elements that are copied meanwhile, of runs so long.
inline std::int64_t row_elements(const WindowPlan& plan, std::int64_t run) {
  const auto places = static_cast<std::int64_t>(plan.steps.size()) + 2;
  return plan.length * run + places * kSeekElements;
}

/// What of a row lies inside, and where it begins.
struct WindowRow {
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

  WindowRow row() const {
    WindowRow row{walks_[0].offset(), walks_[1].offset(), 0, plan_.length};
    for (std::size_t j = 0; j < spec_.items.size(); ++j) {
      const WindowSpec::Item& item = spec_.items[j];
      const std::int64_t index = begins_[j] + walks_[j + 2].offset(), step = plan_.steps[j];
      row.x += index * item.x_stride;
      if (step == 0) {
        if (index < 0 || index >= item.extent) row.last = 0;
      } else if (step > 0) {
        row.first = std::max(row.first, above(-index, step));
        row.last = std::min(row.last, above(item.extent - index, step));
      } else {
        row.first = std::max(row.first, above(index - item.extent + 1, -step));
        row.last = std::min(row.last, above(index + 1, -step));
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

}  // namespace mtfc::runtime
