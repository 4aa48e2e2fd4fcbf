// tiled: kernels one after the other on a tile of their tensors, then on the next tile. What only
// they use is in memory for one tile at a time.
#pragma once
#include <variant>

#include "kernels/add_product.h"
#include "kernels/copy.h"
#include "kernels/map.h"
#include "kernels/reduce.h"

namespace mtfc::runtime {

/// For every index of the tile dimensions: the steps in order. An AddProductSpec adds to its third
/// input, whatever its number.
struct TiledSpec {
  using Kernel = std::variant<MapSpec, ContractSpec, ReduceSpec, AddProductSpec, CopySpec>;

  /// Where a step finds a tensor, of a tile.
  struct Address {
    int tensor = -1;                  // number among the call's inputs, then outputs; -1: scratch
    std::int64_t offset = 0;          // bytes: in the scratch, or from where the tensor begins
    std::vector<std::int64_t> bytes;  // from one index to the next, by tile dimension; not of
                                      // scratch

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("tensor", self.tensor);
      f("offset", self.offset);
      f("bytes", self.bytes);
    }
  };
  struct Step {
    Kernel kernel;  // on one tile; offsets count the tile's indices as axes behind the mesh's
    std::vector<Address> inputs, outputs;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("kernel", self.kernel);
      f("inputs", self.inputs);
      f("outputs", self.outputs);
    }
  };
  std::vector<std::int64_t> extents;  // of the tile dimensions
  int inputs = 0;                     // tensors of a call that are read, before those written
  int mesh_axes = 0;
  std::int64_t scratch_bytes = 0;  // of a thread
  std::vector<Step> steps;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("extents", self.extents);
    f("inputs", self.inputs);
    f("mesh_axes", self.mesh_axes);
    f("scratch_bytes", self.scratch_bytes);
    f("steps", self.steps);
  }
};

double flops(const TiledSpec& spec);
Pieces pieces(const TiledSpec& spec);
/// Threads share the tiles; a tile's kernels run on one.
void tiled(Pool& pool, const TiledSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
