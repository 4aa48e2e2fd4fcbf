// The table of shardings: one for every value of a Graph, from the layout by name.
#pragma once
#include <vector>

#include "ir/graph.h"
#include "ir/layout.h"
#include "ir/model.h"
#include "ir/module.h"

namespace mtfc::lowering {

/// The split that the assignment gives to these dimensions; never partial.
Sharding sharding_of(const DimList& dims, const Assignment& assignment);
/// The same where scopes hold (numbers of Assignment::scopes): the first that rules a dimension
/// says how it is split. What it splits over is not left to dimensions that a later scope or a
/// general rule splits.
Sharding sharding_of(const DimList& dims, const Assignment& assignment,
                     const std::vector<int>& scopes);
/// Of a variable: as it is kept.
Sharding sharding_of(const std::string& variable, const DimList& dims,
                     const Assignment& assignment);
/// A module's variables, as they are kept.
std::vector<ModuleVariable> assign(const std::vector<Variable>& variables,
                                   const Assignment& assignment);
std::vector<Sharding> assign(const Graph& graph, const Assignment& assignment);

}  // namespace mtfc::lowering
