// How the parameters of a layout may be kept on shards of what its rules leave whole.
#pragma once
#include <string>
#include <vector>

#include "plan/space/space.h"

namespace mtfc::plan {

/// Dimensions along which parameters may be kept over these axes of the mesh at once, of which no
/// parameter has two: of those that the axes divide, the one that most of what is left has, one
/// after the other. Empty if fewer than two are found, or the first is of most parameters.
std::vector<std::string> kept_together(const Space& space, const Mesh& mesh,
                                       const std::vector<std::string>& axes, const DimTable& dims);
/// On all meshes of the space: each axis, and all of them.
struct KeptTogether {
  const Mesh* mesh = nullptr;  // of the space
  std::vector<std::string> axes, dims;
};
std::vector<KeptTogether> all_kept_together(const Space& space, const DimTable& dims);

/// What may be said of how parameters are kept under these general rules, besides nothing.
std::vector<std::vector<Split>> ways_to_keep(const Space& space, const Choice& choice,
                                             const DimTable& dims);

}  // namespace mtfc::plan
