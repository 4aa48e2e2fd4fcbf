// Which instructions of a program run together tile by tile (tiles.h).
#pragma once
#include <vector>

#include "backends/execute/distinct_shards.h"
#include "backends/execute/tiles.h"
#include "bind/bind.h"
#include "bind/memory_plan.h"

namespace mtfc::backends {

struct TiledRange {
  std::size_t begin = 0, end = 0;  // instructions; of those between, views and reads do nothing
  Tiles tiles;
};

/// `bound`, `plan` and `buffers` (by ValueId, with addresses) are of the program; `least_tile` as
/// of MemoryOptions.
std::vector<TiledRange> find_tiles(const bind::Context& context, const Program& program,
                                   const std::vector<bind::Bound>& bound, const bind::Plan& plan,
                                   const std::vector<Buffer>& buffers, std::int64_t least_tile);

}  // namespace mtfc::backends
