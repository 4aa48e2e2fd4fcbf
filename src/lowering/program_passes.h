// Passes over one Program; each has a file of its own.
#pragma once
#include "ir/module.h"

namespace mtfc::lowering {

/// Joins maps over the same dimensions, so that what lies between them is never stored: a producer
/// is taken into its consumers if it reads no tensor (constants, positions, draws) or has a single
/// consumer; producer and consumer become one map with several results if both are needed later.
void fuse_maps(Program& program);

/// all_reduce over one axis whose only use, views aside, is a shard along that axis: a
/// reduce_scatter.
void scatter_reductions(Program& program);

/// Drops instructions that nothing needs and values that no instruction makes.
void prune(Program& program);

}  // namespace mtfc::lowering
