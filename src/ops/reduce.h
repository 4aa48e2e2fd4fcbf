// Reductions over named dimensions.
#pragma once
#include <optional>

#include "ir/graph.h"

namespace mtfc::ops {

/// Which reduction a `reduce` is; nothing for other operations.
std::optional<Combine> reduction(const Operation& op);

}  // namespace mtfc::ops
