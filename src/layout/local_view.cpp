#include "layout/local_view.h"

namespace mtfc::lowering {

LocalView local_view(const Mesh& mesh, const DimTable& dims, const std::vector<DimGroup>& groups,
                     const DimList& from, const DimList& to, const Sharding& sharding) {
  LocalView view{sharding, {}};
  view.result.partial = sharding.partial;
  view.result.combine = sharding.combine;
  view.result.split.resize(to.size());
  auto operand_split = [&](DimId dim) -> std::vector<AxisId>& {
    return view.operand.split[static_cast<std::size_t>(position(from, dim))];
  };
  auto give = [&](DimId dim, const std::vector<AxisId>& axes) {
    view.result.split[static_cast<std::size_t>(position(to, dim))] = axes;
  };
  DimList grouped;
  for (const DimGroup& g : groups) {
    for (std::size_t i = 1; i < g.from.size(); ++i) operand_split(g.from[i]).clear();
    std::vector<AxisId>& axes = operand_split(g.from[0]);
    if (dims.size(g.to[0]) % mesh.size(axes) != 0) axes.clear();
    give(g.to[0], axes);
    grouped.insert(grouped.end(), g.from.begin(), g.from.end());
  }
  for (DimId dim : from) {
    if (!contains(grouped, dim)) give(dim, operand_split(dim));
  }
  return view;
}

}  // namespace mtfc::lowering
