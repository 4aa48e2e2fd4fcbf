#include "layout/assign.h"

namespace mtfc::lowering {

Sharding sharding_of(const DimList& dims, const Placement& placement) {
  Sharding sharding;
  for (DimId dim : dims) sharding.split.push_back(placement.axes(dim));
  return sharding;
}

std::vector<Sharding> assign(const Graph& graph, const Placement& placement) {
  std::vector<Sharding> table;
  for (const Value& value : graph.values) {
    table.push_back(sharding_of(value.type.dims, placement));
  }
  return table;
}

}  // namespace mtfc::lowering
