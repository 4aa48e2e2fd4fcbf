#include "kernels/window_rows.h"

#include <algorithm>

#include "kernels/plan_cache.h"
#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kLongBand = 8;   // rows
constexpr std::int64_t kLongRow = 128;  // elements

bool moves(const WindowSpec& spec, std::size_t d) {
  return std::any_of(spec.items.begin(), spec.items.end(),
                     [d](const WindowSpec::Item& item) { return item.scales[d] != 0; });
}

/// The innermost, or the next one if that makes longer bands: what lies near stays in a cache. Long
/// rows are taken as they lie in y, which a processor reads ahead.
std::size_t band_of(const std::vector<Dim>& dims, std::int64_t row) {
  const std::size_t last = dims.size() - 1;
  if (last == 0 || row >= kLongRow || dims[last].extent >= kLongBand) return last;
  return dims[last - 1].extent > dims[last].extent ? last - 1 : last;
}

/// a / b rounded up, b > 0.
std::int64_t above(std::int64_t a, std::int64_t b) {
  if (b == 1) return a;
  return a >= 0 ? ceil_div(a, b) : -(-a / b);
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
  plan.band = {1, std::vector<std::int64_t>(spec.items.size() + 2)};
  if (!rest.empty()) {
    const auto band =
        rest.begin() + static_cast<std::ptrdiff_t>(band_of(rest, plan.length * plan.run));
    plan.band = *band;
    rest.erase(band);
  }
  plan.owned = product(owned);
  plan.dims = owned;
  plan.dims.insert(plan.dims.end(), rest.begin(), rest.end());
  plan.bands = product(plan.dims);
  return plan;
}

}  // namespace

const WindowPlan& find_window_plan(const WindowSpec& spec, bool adds) {
  thread_local Plans<WindowPlan> plans;
  SpecKey& key = plans.start();
  key.add(std::int64_t{adds});
  key.add(spec.extents);
  key.add(spec.x_strides);
  for (const WindowSpec::Item& item : spec.items) key.add(item.scales);
  return plans.find([&] { return plan_window(spec, adds); });
}

void WindowBands::Range::clip(std::int64_t begin, std::int64_t step, std::int64_t extent) {
  if (step == 0) {
    if (begin < 0 || begin >= extent) last = 0;
  } else if (step > 0) {
    first = std::max(first, above(-begin, step));
    last = std::min(last, above(extent - begin, step));
  } else {
    first = std::max(first, above(begin - extent + 1, -step));
    last = std::min(last, above(begin + 1, -step));
  }
}

WindowBands::WindowBands(const WindowPlan& plan, const WindowSpec& spec, const Call& call,
                         std::int64_t band)
    : plan_(plan), spec_(spec), x_step_(plan.x_step), x_pitch_(plan.band.strides[1]) {
  MTFC_CHECK(spec.items.size() <= WindowSpec::kMostItems, "too many items in a window");
  for (std::size_t t = 0; t < spec.items.size() + 2; ++t)
    walks_[t] = Walk(plan.dims, plan.dims.size(), t, band);
  for (std::size_t j = 0; j < spec.items.size(); ++j) {
    begins_[j] = spec.items[j].begin.at(call.coordinates);
    x_step_ += plan.steps[j] * spec.items[j].x_stride;
    x_pitch_ += plan.band.strides[j + 2] * spec.items[j].x_stride;
  }
  begin_band();
}

void WindowBands::begin_band() {
  y_ = walks_[0].offset();
  x_ = walks_[1].offset();
  whole_ = {0, plan_.band.extent};
  for (std::size_t j = 0; j < spec_.items.size(); ++j) {
    const WindowSpec::Item& item = spec_.items[j];
    const std::int64_t pitch = plan_.band.strides[j + 2];
    indices_[j] = begins_[j] + walks_[j + 2].offset();
    x_ += indices_[j] * item.x_stride;
    whole_.clip(indices_[j], pitch, item.extent);
    whole_.clip(indices_[j] + plan_.steps[j] * (plan_.length - 1), pitch, item.extent);
  }
}

void WindowBands::clip(WindowRow& row, std::int64_t number) const {
  Range inside{0, plan_.length};
  for (std::size_t j = 0; j < spec_.items.size(); ++j)
    inside.clip(indices_[j] + number * plan_.band.strides[j + 2], plan_.steps[j],
                spec_.items[j].extent);
  row.last = std::max(inside.last, std::int64_t{0});
  row.first = std::min(inside.first, row.last);
}

}  // namespace mtfc::runtime
