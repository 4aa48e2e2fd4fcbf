#include "layout/assign.h"

namespace mtfc::lowering {

Sharding sharding_of(const DimList& dims, const Assignment& assignment) {
  Sharding sharding;
  for (DimId dim : dims) sharding.split.push_back(assignment.axes(dim));
  return sharding;
}

Sharding sharding_of(const std::string& variable, const DimList& dims,
                     const Assignment& assignment) {
  const auto kept = assignment.kept.find(variable);
  return kept == assignment.kept.end() ? sharding_of(dims, assignment) : kept->second.sharding;
}

std::vector<Sharding> assign(const Graph& graph, const Assignment& assignment) {
  std::vector<Sharding> table;
  for (const Value& value : graph.values) {
    table.push_back(sharding_of(value.type.dims, assignment));
  }
  return table;
}

}  // namespace mtfc::lowering
