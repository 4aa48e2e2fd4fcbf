#include "plan/sum_seconds.h"

#include <algorithm>
#include <limits>

#include "plan/pricing.h"
#include "predict/collectives.h"

namespace mtfc::plan {

SumSeconds::SumSeconds(const predict::Machine& machine) : machine_(machine) {
  for (predict::Level& level : machine_.levels) level.latency = 0;
}

SumSeconds::OnMesh& SumSeconds::on(const Choice& choice) {
  const int stages = choice.pipeline ? choice.pipeline->stages : 1;
  const auto [at, fresh] =
      meshes_.try_emplace(to_string(choice.mesh) + ";" + std::to_string(stages));
  OnMesh& made = at->second;
  if (!fresh) return made;
  made.machine_ = &machine_;
  if (!choice.pipeline) {
    if (auto mapping = predict::map_mesh(choice.mesh, machine_))
      made.mappings_.push_back(std::move(*mapping));
  } else if (const auto mapped = mapped_stages(choice, machine_)) {
    for (const predict::MappedStage& stage : mapped->stages)
      made.mappings_.push_back(stage.mapping);
  }
  return made;
}

SumSeconds::Rates SumSeconds::OnMesh::over(AxisSet axes) {
  if (axes == 0 || mappings_.empty()) return {};
  const auto [at, fresh] = known_.try_emplace(axes);
  Rates& rates = at->second;
  if (!fresh) return rates;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  rates = {infinity, infinity};
  using Kind = runtime::ExchangeSpec::Kind;
  for (const predict::Mapping& mapping : mappings_) {
    const auto group = predict::group_levels(ids_of(axes), *machine_, mapping);
    const auto least = [&](double& known, Kind kind) {
      known = std::min(known, predict::collective_seconds(kind, 1, group));
    };
    least(rates.all_reduce, Kind::all_reduce);
    least(rates.reduce_scatter, Kind::reduce_scatter);
  }
  return rates;
}

std::vector<AxisId> ids_of(AxisSet axes) {
  std::vector<AxisId> ids;
  for (std::int32_t i = 0; axes >> i != 0; ++i)
    if (axes >> i & 1) ids.push_back(AxisId{i});
  return ids;
}

}  // namespace mtfc::plan
