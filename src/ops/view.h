// Views: dimensions renamed, split and merged.
#pragma once
#include "ir/graph.h"

namespace mtfc::ops {

/// What a `view` does, all groups at once; null for other operations.
const std::vector<DimGroup>* view_groups(const Operation& op);

/// The name of what a view of that name renames, merges or splits; empty if it is no view.
std::string name_of_viewed(const Graph& graph, const std::string& path);

}  // namespace mtfc::ops
