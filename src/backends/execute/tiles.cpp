#include "backends/execute/tiles.h"

#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/one_thread.h"
#include "kernels/scratch.h"
#include "support/rounding.h"
#include "support/strides.h"

namespace mtfc::backends {
namespace {

/// Extents and offsets of the first dimensions become those of a tile.
struct Narrow {
  std::size_t tile_dims;
  std::int64_t count;
  std::size_t mesh_axes;

  std::int64_t extent(std::size_t dim) const { return dim + 1 == tile_dims ? count : 1; }
  void extents(std::vector<std::int64_t>& extents) const {
    for (std::size_t d = 0; d < tile_dims; ++d) extents[d] = extent(d);
  }
  void offset(runtime::Offset& offset, std::size_t dim) const {
    if (dim < tile_dims) offset.terms.push_back({static_cast<int>(mesh_axes + dim), 1});
  }

  void operator()(runtime::MapSpec& spec) const {
    extents(spec.extents);
    for (auto& leaf : spec.index_leaves) offset(leaf.offset, static_cast<std::size_t>(leaf.dim));
    for (auto& leaf : spec.random_leaves)
      for (std::size_t d = 0; d < tile_dims; ++d) offset(leaf.offsets[d], d);
  }
  void operator()(runtime::ReduceSpec& spec) const { extents(spec.kept_extents); }
  void operator()(runtime::ContractSpec& spec) const {
    for (std::size_t d = 0; d < tile_dims; ++d) spec.batch[d].extent = extent(d);
  }
};

/// One thread's work on one tile.
class TileTask {
 public:
  TileTask(const Tiles& tiles, std::int64_t shard, std::int64_t number)
      : tiles_(tiles), shard_(static_cast<std::size_t>(shard)) {
    const std::size_t dims = tiles.extents.size();
    const std::int64_t* of_processor = tiles.coordinates[shard_];
    coordinates_.assign(of_processor, of_processor + tiles.mesh_axes);
    coordinates_.resize(tiles.mesh_axes + dims);
    begin_ = coordinates_.data() + tiles.mesh_axes;
    const std::int64_t pieces = ceil_div(tiles.extents.back(), tiles.each);
    begin_[dims - 1] = number % pieces * tiles.each;
    number /= pieces;
    for (std::size_t d = dims - 1; d-- > 0; number /= tiles.extents[d])
      begin_[d] = number % tiles.extents[d];
    whole_ = begin_[dims - 1] + tiles.each <= tiles.extents.back();
    thread_local runtime::Scratch memory;
    scratch_ = memory.take(static_cast<std::size_t>(tiles.scratch_bytes));
  }

  void run() {
    for (const TileStep& step : tiles_.steps) {
      inputs_.clear();
      outputs_.clear();
      for (const TileAddress& where : step.inputs) inputs_.push_back(address(where));
      for (const TileAddress& where : step.outputs) outputs_.push_back(address(where));
      const runtime::Call call{inputs_.data(), outputs_.data(), coordinates_.data()};
      run(whole_ ? step.whole : step.rest, call);
    }
  }

 private:
  static void run(const TileKernel& kernel, const runtime::Call& call) {
    if (kernel.plan)
      return map(runtime::one_thread(), *kernel.plan, std::get<runtime::MapSpec>(kernel.spec),
                 &call, 1);
    std::visit(
        [&](const auto& spec) { runtime::run_kernel(runtime::one_thread(), spec, &call, 1); },
        kernel.spec);
  }

  char* address(const TileAddress& where) const {
    if (where.shards.empty()) return scratch_ + where.offset;
    char* at = reinterpret_cast<char*>(where.shards[shard_]);
    for (std::size_t d = 0; d < where.bytes.size(); ++d) at += begin_[d] * where.bytes[d];
    return at;
  }

  // Of the thread: a step allocates nothing.
  inline static thread_local std::vector<std::int64_t> coordinates_;
  inline static thread_local std::vector<const void*> inputs_;
  inline static thread_local std::vector<void*> outputs_;

  const Tiles& tiles_;
  std::size_t shard_;
  std::int64_t* begin_ = nullptr;
  bool whole_ = true;
  char* scratch_ = nullptr;
};

}  // namespace

void Tiles::run(runtime::Pool& pool) const {
  const std::int64_t pieces = ceil_div(extents.back(), each);
  const std::int64_t tiles = product(extents) / extents.back() * pieces;
  pool.run(static_cast<std::int64_t>(coordinates.size()) * tiles,
           [this, tiles](std::int64_t i) { TileTask(*this, i / tiles, i % tiles).run(); });
}

TileKernel tile_of(const TileSpec& spec, std::size_t tile_dims, std::int64_t count,
                   std::size_t mesh_axes) {
  TileKernel tile{spec, {}};
  std::visit(Narrow{tile_dims, count, mesh_axes}, tile.spec);
  if (const auto* map = std::get_if<runtime::MapSpec>(&tile.spec)) tile.plan = plan_map(*map);
  return tile;
}

std::int64_t stride_of(const TileSpec& spec, std::size_t operand, std::size_t dim) {
  if (const auto* map = std::get_if<runtime::MapSpec>(&spec))
    return map->operands[operand].strides[dim];
  if (const auto* reduce = std::get_if<runtime::ReduceSpec>(&spec))
    return reduce->kept_strides[dim];
  const auto& factor = std::get<runtime::ContractSpec>(spec).batch[dim];
  return operand == 0 ? factor.a : factor.b;
}

}  // namespace mtfc::backends
