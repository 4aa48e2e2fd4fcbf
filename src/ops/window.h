// Windows: dimensions read at indices that are affine in others, and their adjoint.
#pragma once
#include "ops/builder.h"

namespace mtfc::ops {

/// What a `window` reads; null for other operations.
const std::vector<WindowItem>* window_items(const Operation& op);
/// What the window `op` reads of x, as a gather at computed indices. Its dimensions may stand in
/// another order.
ValueId window_as_gather(Builder& build, const Operation& op, ValueId x);

}  // namespace mtfc::ops
