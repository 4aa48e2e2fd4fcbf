#include "layout/assign.h"

#include <algorithm>

namespace mtfc::lowering {

Sharding sharding_of(const DimList& dims, const Assignment& assignment) {
  Sharding sharding;
  for (DimId dim : dims) sharding.split.push_back(assignment.axes(dim));
  if (assignment.scopes.empty() && assignment.kept.empty()) return sharding;
  // Where a scope ended a clash of general rules, what belongs to no scope keeps the first.
  std::vector<AxisId> taken;
  for (std::vector<AxisId>& axes : sharding.split) {
    std::erase_if(axes, [&](AxisId axis) {
      return std::find(taken.begin(), taken.end(), axis) != taken.end();
    });
    taken.insert(taken.end(), axes.begin(), axes.end());
  }
  return sharding;
}

Sharding sharding_of(const DimList& dims, const Assignment& assignment,
                     const std::vector<int>& scopes) {
  if (scopes.empty()) return sharding_of(dims, assignment);
  Sharding sharding;
  for (DimId dim : dims) sharding.split.push_back(assignment.axes(dim));
  std::vector<AxisId> taken;
  std::vector<bool> ruled(dims.size());
  const auto take = [&](std::size_t i, const std::vector<AxisId>& axes) {
    sharding.split[i].clear();
    for (AxisId axis : axes)
      if (std::find(taken.begin(), taken.end(), axis) == taken.end())
        sharding.split[i].push_back(axis);
    taken.insert(taken.end(), axes.begin(), axes.end());
    ruled[i] = true;
  };
  for (const int number : scopes) {
    const Assignment::Scope& scope = assignment.scopes[static_cast<std::size_t>(number)];
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (const Assignment::Scope::Split* split = scope.find(dims[i]); split && !ruled[i])
        take(i, split->axes);
  }
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (!ruled[i]) take(i, assignment.axes(dims[i]));
  return sharding;
}

Sharding sharding_of(const std::string& variable, const DimList& dims,
                     const Assignment& assignment) {
  const auto kept = assignment.kept.find(variable);
  return kept == assignment.kept.end() ? sharding_of(dims, assignment) : kept->second.sharding;
}

std::vector<ModuleVariable> assign(const std::vector<Variable>& variables,
                                   const Assignment& assignment) {
  std::vector<ModuleVariable> list;
  for (const Variable& v : variables)
    list.push_back({v.path, {v.type, sharding_of(v.path, v.type.dims, assignment)}, v.kind});
  return list;
}

std::vector<Sharding> assign(const Graph& graph, const Assignment& assignment) {
  std::vector<Sharding> table;
  for (const Value& value : graph.values) {
    const StepRole& role = graph.at(value.producer).role;
    table.push_back(sharding_of(value.type.dims, assignment, role.scopes));
  }
  return table;
}

}  // namespace mtfc::lowering
