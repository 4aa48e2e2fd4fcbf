// Views: dimensions renamed, split and merged.
#pragma once
#include "ir/graph.h"

namespace mtfc::ops {

/// What a `view` does, all groups at once; null for other operations.
const std::vector<DimGroup>* view_groups(const Operation& op);

}  // namespace mtfc::ops
