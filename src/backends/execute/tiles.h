// Maps and reductions one after the other over the same leading dimensions, run tile by tile: what
// one of them makes of a tile is still in the cache when the next one reads it, and what only they
// use is never in memory. The same kernels do the same to each element: no bit depends on it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "kernels/contract.h"
#include "kernels/map_plan.h"
#include "kernels/reduce.h"

namespace mtfc::backends {

/// A contraction only if its results are sums along memory: no m, no n.
using TileSpec = std::variant<runtime::MapSpec, runtime::ReduceSpec, runtime::ContractSpec>;

/// Where a tile of a value begins.
struct TileAddress {
  std::vector<std::byte*> shards;   // of the value; empty: in the thread's scratch
  std::vector<std::int64_t> bytes;  // from one index to the next, by tile dimension
  std::int64_t offset = 0;          // in the scratch
};

struct TileKernel {
  TileSpec spec;
  std::optional<runtime::MapPlan> plan;  // of a map
};

struct TileStep {
  TileKernel whole;  // on one tile
  TileKernel rest;   // on the last one along the last tile dimension, which may be smaller
  std::vector<TileAddress> inputs, outputs;
};

struct Tiles {
  std::vector<std::int64_t> extents;  // of the tile dimensions; a tile is one index of all but the
                                      // last one, and
  std::int64_t each = 1;              // so many of that
  std::vector<const std::int64_t*> coordinates;  // by shard: of the processor
  std::size_t mesh_axes = 0;
  std::int64_t scratch_bytes = 0;  // of one tile
  std::vector<TileStep> steps;

  void run(runtime::Pool& pool) const;
};

/// The kernel on a tile out of the spec of a whole shard: one index of each tile dimension but the
/// last, `count` of that. Positions count from where the tile begins, which coordinates say beyond
/// those of the mesh's axes.
TileKernel tile_of(const TileSpec& spec, std::size_t tile_dims, std::int64_t count,
                   std::size_t mesh_axes);
/// Elements from one index to the next along tile dimension `dim`, of operand `operand` of a whole
/// shard's spec.
std::int64_t stride_of(const TileSpec& spec, std::size_t operand, std::size_t dim);

}  // namespace mtfc::backends
