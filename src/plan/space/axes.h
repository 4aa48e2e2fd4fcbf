// From a mesh to others with an axis more or fewer.
#pragma once
#include <vector>

#include "plan/space/space.h"

namespace mtfc::plan {

/// On every mesh of the space on which two neighbouring axes are one, or one is two. One axis takes
/// over the processors of the other, and what that split is split no longer; two axes split what
/// the one did. `choice` has no scopes of blocks.
std::vector<Choice> with_other_axes(const Space& space, const Choice& choice);

}  // namespace mtfc::plan
