// The shardings that a permutation of the processors leads to.
#pragma once
#include <vector>

#include "support/mesh.h"

namespace mtfc::lowering {

/// All other splits over some of `axes` that cut every dimension into as many parts as `split`
/// does: blocks of one shape, so that each processor's block is some processor's already. Stops
/// after `most`.
std::vector<std::vector<std::vector<AxisId>>> permutations(
    const Mesh& mesh, const std::vector<AxisId>& axes,
    const std::vector<std::vector<AxisId>>& split, int most);

}  // namespace mtfc::lowering
