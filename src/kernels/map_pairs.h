// Two steps of a map in one.
#pragma once
#include <vector>

#include "kernels/map_plan.h"

namespace mtfc::runtime {

/// Where an addition, subtraction or multiplication of f32 is used by one other of them alone, both
/// become one step: `steps` of a block in their order, `rates` by value.
std::vector<MapStep> paired(std::vector<MapStep> steps, const std::vector<Rate>& rates);

}  // namespace mtfc::runtime
