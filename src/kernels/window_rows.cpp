#include "kernels/window_rows.h"

#include "kernels/plan_cache.h"

namespace mtfc::runtime {
namespace {

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

}  // namespace mtfc::runtime
