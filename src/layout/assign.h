// The table of shardings: one for every value of a Graph, from the layout by name.
#pragma once
#include <vector>

#include "ir/graph.h"
#include "ir/layout.h"

namespace mtfc::lowering {

/// The split that the assignment gives to these dimensions; never partial.
Sharding sharding_of(const DimList& dims, const Assignment& assignment);
/// Of a variable: as it is kept.
Sharding sharding_of(const std::string& variable, const DimList& dims,
                     const Assignment& assignment);
std::vector<Sharding> assign(const Graph& graph, const Assignment& assignment);

}  // namespace mtfc::lowering
