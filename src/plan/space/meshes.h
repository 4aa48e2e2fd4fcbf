// Shapes of a mesh.
#pragma once
#include <cstdint>
#include <vector>

#include "support/mesh.h"

namespace mtfc::plan {

/// All ways to write `processors` as a product of one to `most_axes` factors above 1, in order. One
/// processor is a mesh without axes.
std::vector<Mesh> meshes_of(std::int64_t processors, int most_axes);

}  // namespace mtfc::plan
