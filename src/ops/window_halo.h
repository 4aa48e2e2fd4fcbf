// Windows along a split dimension: the own block, and the edges of the neighbours' blocks.
#pragma once
#include "ops/blockwise.h"

namespace mtfc::ops {

/// The window without gathering what it reads, if it reads little beyond each processor's block;
/// else invalid. For `window` and for its adjoint.
ValueId window_of_blocks(Blockwise& b, ValueId x, const std::vector<WindowItem>& items,
                         double fill);
ValueId window_add_of_blocks(Blockwise& b, ValueId y, const std::vector<WindowItem>& items,
                             const DimList& to);

}  // namespace mtfc::ops
