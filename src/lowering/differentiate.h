// Reverse-mode gradients on the global Graph. Collectives have no gradients: they come later.
#pragma once
#include <vector>

#include "ops/builder.h"

namespace mtfc::lowering {

/// Appends the gradient of the scalar `of` with respect to each of `wanted` to the builder's
/// graph. Invalid where no gradient reaches. Operations without a gradient rule pass none.
/// Composites without a gradient of their own must have been expanded.
std::vector<ValueId> differentiate(ops::Builder& build, ValueId of,
                                   const std::vector<ValueId>& wanted);

}  // namespace mtfc::lowering
