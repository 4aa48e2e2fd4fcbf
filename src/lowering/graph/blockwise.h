// Work along split dimensions, block by block.
#pragma once
#include "ir/graph.h"
#include "ir/layout.h"

namespace mtfc::lowering {

/// A running sum, a choice of the largest or a window needs its dimension whole. Where that is
/// split, it is taken apart into blocks, which stay split, and the places within them, which are
/// whole: the work is done in each block, and only what blocks need of each other moves: their
/// sums, their largest elements, their edges. What would not become cheaper stays as it is and is
/// gathered. The blocks' dimensions are added to `dims` and `assignment`.
Graph blockwise(const Graph& graph, DimTable& dims, Assignment& assignment);

}  // namespace mtfc::lowering
