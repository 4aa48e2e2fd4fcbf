// Meshes in words.
#pragma once
#include <string>

#include "ir/layout.h"

namespace mtfc::cli {

/// "mesh rows=2, cols=2" or "one processor"
std::string mesh_text(const Mesh& mesh);
/// Of a pipeline: "4 stages (1f1b) of mesh rows=2, cols=2 each", "2 stages (1f1b) of meshes
/// rows=2+4, cols=4+2".
std::string mesh_text(const Assignment& assignment);

}  // namespace mtfc::cli
