// Which columns of scores a causal mask hides.
#pragma once
#include "ir/instr/tiled.h"

namespace mtfc::lowering {

/// Rows and columns (Tiled::causal) of steps in which what lies behind the diagonal makes no
/// difference; empty if that is not certain. `operands`: their types.
DimList causal_dims(const Tiled& tiled, const ShardTypes& operands);

}  // namespace mtfc::lowering
