// What window and window_add walk along: rows of runs, and what of each lies inside.
#pragma once
#include "kernels/extents.h"
#include "kernels/window.h"

namespace mtfc::runtime {

constexpr std::int64_t kWindowTask = 1 << 15;  // elements

/// y is walked in rows: `length` runs of `run` elements that are contiguous in y and x; along a row
/// every place moves evenly, so that what is inside is one range. Rows along one more dimension are
/// a band: where it begins is looked up once, and most of its rows are wholly inside. Adding, the
/// dimensions that no item depends on come first: what lies under one of their places is added up
/// by one task.
struct WindowPlan {
  std::vector<Dim> dims;  // of the bands; strides: y, x, then the indices of every item
  Dim band;               // from row to row, with the same strides
  std::int64_t run = 1, length = 1;
  std::int64_t y_step = 1, x_step = 0;  // along a row, items apart
  std::vector<std::int64_t> steps;      // of every place along a row
  std::int64_t bands = 1, owned = 1;    // owned: bands of the leading independent dimensions

  std::int64_t rows() const { return bands * band.extent; }
};

/// Planned once for each spec and thread. `adds`: for the adjoint.
const WindowPlan& find_window_plan(const WindowSpec& spec, bool adds);

/// What a band takes, in elements that are copied meanwhile, of runs so long.
inline std::int64_t band_elements(const WindowPlan& plan, std::int64_t run) {
  const auto seeks = static_cast<std::int64_t>(plan.steps.size()) + 2;
  return plan.band.extent * plan.length * run + seeks * kSeekElements;
}

/// What of a row lies inside, and where it begins.
struct WindowRow {
  std::int64_t y = 0;                // first element
  std::int64_t x = 0;                // where element 0 of the row would be
  std::int64_t first = 0, last = 0;  // runs from `first` to before `last` are inside
};

class WindowBands {
 public:
  WindowBands(const WindowPlan& plan, const WindowSpec& spec, const Call& call, std::int64_t band);
  void advance() {
    for (std::size_t t = 0; t < spec_.items.size() + 2; ++t) walks_[t].advance(1);
    begin_band();
  }
  std::int64_t x_step() const { return x_step_; }
  WindowRow row(std::int64_t number) const {
    WindowRow row{y_ + number * plan_.band.strides[0], x_ + number * x_pitch_, 0, plan_.length};
    if (number < whole_.first || number >= whole_.last) clip(row, number);
    return row;
  }

 private:
  struct Range {
    std::int64_t first, last;
    /// Only i with 0 <= begin + i * step < extent.
    void clip(std::int64_t begin, std::int64_t step, std::int64_t extent);
  };

  void begin_band();
  void clip(WindowRow& row, std::int64_t number) const;

  const WindowPlan& plan_;
  const WindowSpec& spec_;
  Walk walks_[WindowSpec::kMostItems + 2];
  std::int64_t begins_[WindowSpec::kMostItems] = {};
  std::int64_t x_step_ = 0, x_pitch_ = 0;

  // Of the band: its first row, rows that are wholly inside.
  std::int64_t y_ = 0, x_ = 0;
  std::int64_t indices_[WindowSpec::kMostItems] = {};
  Range whole_{0, 0};
};

}  // namespace mtfc::runtime
