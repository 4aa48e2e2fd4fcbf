// How the axes of a mesh lie on the levels of a machine.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "predict/machine.h"
#include "support/mesh.h"

namespace mtfc::predict {

/// A factor of a mesh axis on one level.
struct AxisPart {
  AxisId axis;
  std::int64_t size = 1;    // processors of the axis
  std::int64_t stride = 1;  // units of the level from one to the next
};

/// By level of the machine, from the inside outwards.
struct LevelUse {
  std::vector<AxisPart> parts;  // the innermost first; strides ascend
  std::int64_t units = 1;       // of the level that are used: the product of the parts' sizes
  std::int64_t inside = 1;      // processors of the mesh in one unit
};
using Mapping = std::vector<LevelUse>;

/// Processors are numbered row by row, so that the last axis lies innermost. It fills a level as
/// far as it goes; of what is longer, the largest divisor that fits stays in the level and the rest
/// goes on outside. Nothing if the machine is too small. With links by axis each axis has its own
/// level.
std::optional<Mapping> map_mesh(const Mesh& mesh, const Machine& machine);

/// "node 8: model=8; cluster 64 of 4096: data=64"
std::string to_string(const Mesh& mesh, const Machine& machine, const Mapping& mapping);

}  // namespace mtfc::predict
