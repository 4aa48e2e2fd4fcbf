// Constants and indices in a graph.
#pragma once
#include "ir/graph.h"

namespace mtfc::ops {

/// The value of a `constant`; null for other operations.
const double* constant_value(const Operation& op);
/// The dimension of an `index`; invalid for other operations.
DimId index_dim(const Operation& op);

}  // namespace mtfc::ops
