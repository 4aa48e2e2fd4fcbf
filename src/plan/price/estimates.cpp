#include "plan/price/estimates.h"

#include <algorithm>
#include <limits>

#include "layout/stages.h"
#include "plan/price/pricing.h"
#include "predict/collectives.h"

namespace mtfc::plan {
namespace {

/// Of the work of a step, what computing again adds.
double more_work(Recompute recompute) {
  return recompute == Recompute::full ? 1.0 / 3 : recompute == Recompute::selective ? 0.03 : 0;
}

}  // namespace

const std::optional<predict::Mapping>& Estimates::mapping_of(const Choice& choice) {
  const int stages = choice.pipeline ? choice.pipeline->stages : 1;
  const auto [at, fresh] =
      mappings_.try_emplace(to_string(choice.mesh) + ";" + std::to_string(stages));
  if (!fresh) return at->second;
  if (std::vector<predict::Mapping> all = mappings_of(choice, machine_); !all.empty())
    at->second = std::move(all.front());
  return at->second;
}

std::vector<AxisSet> Estimates::axes_of(const Choice& choice) const {
  std::vector<AxisSet> axes(work_.names(), 0);
  for (const Split& split : choice.rules)
    if (const std::size_t* number = work_.find(split.dim))
      axes[*number] |= bits_of(choice.mesh, split.axes);
  return axes;
}

double Estimates::seconds(const Choice& choice) {
  const std::optional<predict::Mapping>& mapping = mapping_of(choice);
  if (!mapping) return std::numeric_limits<double>::infinity();
  const std::vector<AxisSet> axes = axes_of(choice);
  const auto m = static_cast<double>(choice.microbatches);
  double passes = 0, once = 0;  // of one micro-batch; once a step
  for (const WorkGroup& group : work_.groups()) {
    const AxisSet split = all_of(group.dims, axes), summed = all_of(group.summed, axes);
    passes += group.count *
              std::max(group.seconds / size_of(choice.mesh, split) / m, machine_.chip.launch);
    if (summed == 0) continue;
    const double bytes =
        group.result_bytes / size_of(choice.mesh, split & ~summed) / (group.of_examples ? m : 1);
    const double seconds =
        predict::collective_seconds(runtime::ExchangeSpec::Kind::all_reduce, bytes,
                                    predict::group_levels(ids_of(summed), machine_, *mapping));
    (group.of_examples ? passes : once) += group.count * seconds;
  }
  for (const ViewGroup& view : work_.views()) {
    const AxisSet gathered = all_of(view.gone, axes) & ~all_of(view.fresh, axes);
    if (gathered == 0) continue;
    const double bytes = view.bytes / size_of(choice.mesh, all_of(view.dims, axes)) / m;
    // Forward; backward its gradient is added up and split.
    passes +=
        2 * view.count *
        predict::collective_seconds(runtime::ExchangeSpec::Kind::all_gather, bytes,
                                    predict::group_levels(ids_of(gathered), machine_, *mapping));
  }
  passes *= 1 + more_work(choice.recompute);
  if (!choice.pipeline) return m * passes + once;
  const Pipeline& pipeline = *choice.pipeline;
  const auto p = static_cast<double>(pipeline.stages);
  const std::vector<int> chunks = lowering::can_interleave(pipeline.stages, choice.microbatches)
                                      ? chunk_numbers(pipeline)
                                      : std::vector<int>();
  return (m + (p - 1) / (chunks.empty() ? 1 : chunks.back())) * passes / p + once / p;
}

}  // namespace mtfc::plan
