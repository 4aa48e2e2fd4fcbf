// Products that are much larger than their factors: attention's scores.
#pragma once
#include "ir/program.h"

namespace mtfc::lowering {

/// The dimensions by which an instruction can be cut into tiles: nothing is summed over them.
DimList tile_dims_of(const Instruction& at, const Program& program);
/// Of one processor's shard.
std::int64_t tiles_of(const DimList& tile, const ShardType& type, const DimTable& dims,
                      const Mesh& mesh);
/// Neither operands nor results are partial.
bool is_complete(const Instruction& at, const Program& program);

/// A product that is much larger than its factors and can be cut into enough tiles.
bool is_large_product(const Instruction& at, const Program& program, const DimTable& dims,
                      const Mesh& mesh);
/// Whether storing a tensor of this type costs memory, and tiles of it are worth a kernel each.
bool is_worth_tiling(const DimList& tile, const ShardType& type, const DimTable& dims,
                     const Mesh& mesh);

/// Enough tiles for threads to share.
constexpr std::int64_t kFewestTiles = 4;

}  // namespace mtfc::lowering
