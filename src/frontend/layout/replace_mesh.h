// The text of a layout with another mesh.
#pragma once
#include <string>

#include "support/mesh.h"

namespace mtfc {

/// `layout` with this mesh in its first line; a mesh of its own is taken out.
std::string with_mesh(std::string layout, const Mesh& mesh);

}  // namespace mtfc
