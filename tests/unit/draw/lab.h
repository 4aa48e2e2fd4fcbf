// Meshes and sharded types, for tests.
#pragma once
#include <string>
#include <vector>

#include "ir/type.h"

namespace draw_lab {

using namespace mtfc;

inline Mesh mesh_of(std::vector<std::int64_t> sizes) {
  Mesh mesh;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    mesh.axes.push_back({std::string(1, static_cast<char>('p' + i)), sizes[i]});
  return mesh;
}

/// A dimension of a tensor: its size and the axes that split it.
struct Cut {
  std::int64_t size = 1;
  std::vector<int> axes = {};
};

struct Sharded {
  DimTable dims;
  ShardType type;
};

/// Dimensions are called a, b, c, ...
inline Sharded sharded(const std::vector<Cut>& cuts, const std::vector<int>& partial = {}) {
  Sharded made;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    Dim dim;
    dim.name = std::string(1, static_cast<char>('a' + i));
    dim.size = cuts[i].size;
    made.type.tensor.dims.push_back(made.dims.add(dim));
    made.type.sharding.split.emplace_back();
    for (const int axis : cuts[i].axes) made.type.sharding.split.back().push_back(AxisId{axis});
  }
  for (const int axis : partial) made.type.sharding.partial.push_back(AxisId{axis});
  return made;
}

}  // namespace draw_lab
