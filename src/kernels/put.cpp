#include "kernels/put.h"

#include "kernels/copy_bytes.h"
#include "kernels/extents.h"
#include "kernels/plan_cache.h"

namespace mtfc::runtime {
namespace {

// The last dimension that is dense in both is copied as a run.
struct PutPlan {
  std::vector<Dim> dims;  // strides: x, y; without the run
  std::int64_t run = 1, rows = 1;
};

PutPlan plan_put(const PutSpec& spec) {
  PutPlan plan;
  for (std::size_t d = 0; d < spec.extents.size(); ++d)
    plan.dims.push_back({spec.extents[d], {spec.x_strides[d], spec.y_strides[d]}});
  plan.dims = merged(plan.dims);
  if (!plan.dims.empty() && plan.dims.back().strides == std::vector<std::int64_t>{1, 1}) {
    plan.run = plan.dims.back().extent;
    plan.dims.pop_back();
  }
  plan.rows = product(plan.dims);
  return plan;
}

struct PutJob {
  const PutPlan& plan;
  const PutSpec& spec;

  void run(const Call& call) const {
    const std::size_t size = spec.element_size;
    auto* y = static_cast<std::byte*>(call.outputs[0]);
    if (call.inputs[0] != y)
      copy_bytes(y, call.inputs[0], static_cast<std::size_t>(spec.y_size) * size);
    const std::int64_t index =
        *static_cast<const std::int32_t*>(call.inputs[2]) - spec.begin.at(call.coordinates);
    if (index < 0 || index >= spec.extent) return;
    const auto* x = static_cast<const std::byte*>(call.inputs[1]);
    y += static_cast<std::size_t>(index * spec.y_stride) * size;
    Walk from(plan.dims, plan.dims.size(), 0, 0), to(plan.dims, plan.dims.size(), 1, 0);
    for (std::int64_t row = 0; row < plan.rows; ++row, from.advance(1), to.advance(1))
      copy_bytes(y + static_cast<std::size_t>(to.offset()) * size,
                 x + static_cast<std::size_t>(from.offset()) * size,
                 static_cast<std::size_t>(plan.run) * size);
  }
};

}  // namespace

void put(Pool& pool, const PutSpec& spec, const Call* calls, int count) {
  thread_local Plans<PutPlan> plans;
  SpecKey& key = plans.start();
  key.add(spec.extents);
  key.add(spec.x_strides);
  key.add(spec.y_strides);
  const PutPlan& plan = plans.find([&] { return plan_put(spec); });
  const PutJob job{plan, spec};
  pool.run(count, [&](std::int64_t i) { job.run(calls[i]); });
}

}  // namespace mtfc::runtime
