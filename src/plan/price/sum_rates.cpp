#include "plan/price/sum_rates.h"

#include <algorithm>
#include <limits>

#include "plan/price/pricing.h"
#include "predict/collectives.h"

namespace mtfc::plan {

SumRates::SumRates(const predict::Machine& machine) : machine_(machine) {
  for (predict::Level& level : machine_.levels) level.latency = 0;
}

SumRates::OnMesh& SumRates::on(const Choice& choice) {
  const int stages = choice.pipeline ? choice.pipeline->stages : 1;
  const auto [at, fresh] =
      meshes_.try_emplace(to_string(choice.mesh) + ";" + std::to_string(stages));
  OnMesh& made = at->second;
  if (!fresh) return made;
  made.machine_ = &machine_;
  made.all_ = (AxisSet{1} << choice.mesh.axes.size()) - 1;
  made.mappings_ = mappings_of(choice, machine_);
  return made;
}

SumRates::Rates SumRates::OnMesh::over(AxisSet axes) {
  if (axes == 0 || mappings_.empty()) return {};
  const auto [at, fresh] = known_.try_emplace(axes);
  Rates& rates = at->second;
  if (!fresh) return rates;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  rates = {infinity, infinity};
  using Kind = runtime::ExchangeSpec::Kind;
  for (const predict::Mapping& mapping : mappings_)
    for (AxisSet more = axes; more <= all_; ++more) {
      if ((more & axes) != axes) continue;
      const auto group = predict::group_levels(ids_of(more), *machine_, mapping);
      const auto least = [&](double& known, Kind kind) {
        known = std::min(known, predict::collective_seconds(kind, 1, group));
      };
      least(rates.all_reduce, Kind::all_reduce);
      least(rates.reduce_scatter, Kind::reduce_scatter);
    }
  return rates;
}

}  // namespace mtfc::plan
