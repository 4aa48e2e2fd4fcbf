// Stages of a pipeline with meshes of their own: axes of the same names, of other sizes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/layout.h"

namespace mtfc {

/// The largest size of each axis: what a rule splits in some stage, it splits on this mesh.
Mesh widest(const std::vector<Mesh>& meshes);

const Mesh& mesh_of_stage(const Assignment& assignment, int stage);
/// By stage; without a pipeline the only one.
std::vector<Mesh> meshes_of(const Assignment& assignment);
/// Of all stages together.
std::int64_t processors_of(const Assignment& assignment);

/// The number of shards that the axes make: of stages that make different numbers, the least common
/// multiple, so that what it divides is cut evenly in all of them. Where that is more than a
/// dimension may have (largest_size), one more than that.
std::int64_t shards_over(const Assignment& assignment, const std::vector<AxisId>& axes);

/// As the stage has it: on its mesh, where an axis of size 1 splits nothing.
Assignment of_stage(const Assignment& assignment, int stage);

/// "rows=2+4, cols=4": sizes stage by stage, once where they are alike.
std::string to_string(const std::vector<Mesh>& meshes);

}  // namespace mtfc
