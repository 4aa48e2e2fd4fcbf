#include "lowering/program/large_products.h"

#include <algorithm>

#include "lowering/graph/large_scores.h"

namespace mtfc::lowering {
namespace {

/// A product's result that has so many times more elements than either factor.
constexpr std::int64_t kLargeProduct = 2;
/// Elements that a tile has of a large tensor: below, starting kernels costs more.
constexpr std::int64_t kSmallestTile = 1024;

}  // namespace

DimList tile_dims_of(const Instruction& at, const Program& program) {
  DimList common = program.at(at.results[0]).type.tensor.dims;
  if (!std::holds_alternative<Map>(at.kind))
    for (ValueId operand : at.operands)
      std::erase_if(
          common, [&](DimId dim) { return !contains(program.at(operand).type.tensor.dims, dim); });
  return common;
}

std::int64_t tiles_of(const DimList& tile, const ShardType& type, const DimTable& dims,
                      const Mesh& mesh) {
  const std::vector<std::int64_t> extents = shard_extents(dims, mesh, type);
  std::int64_t count = 1;
  for (DimId dim : tile)
    count *= extents[static_cast<std::size_t>(position(type.tensor.dims, dim))];
  return count;
}

bool is_complete(const Instruction& at, const Program& program) {
  const auto partial = [&](ValueId value) { return program.at(value).type.sharding.is_partial(); };
  return std::none_of(at.operands.begin(), at.operands.end(), partial) &&
         std::none_of(at.results.begin(), at.results.end(), partial);
}

bool is_large_product(const Instruction& at, const Program& program, const DimTable& dims,
                      const Mesh& mesh) {
  if (!std::holds_alternative<Contract>(at.kind) || !is_complete(at, program)) return false;
  const auto elements = [&](ValueId value) {
    return shard_elements(dims, mesh, program.at(value).type);
  };
  const std::int64_t most = elements(at.results[0]) / kLargeProduct;
  return std::all_of(at.operands.begin(), at.operands.end(),
                     [&](ValueId factor) { return elements(factor) <= most; }) &&
         tiles_of(tile_dims_of(at, program), program.at(at.results[0]).type, dims, mesh) >=
             kFewestTiles;
}

bool is_worth_tiling(const DimList& tile, const ShardType& type, const DimTable& dims,
                     const Mesh& mesh) {
  const std::int64_t elements = shard_elements(dims, mesh, type);
  return elements * static_cast<std::int64_t>(size_of(type.tensor.dtype)) >= kLeastBytes &&
         elements / tiles_of(tile, type, dims, mesh) >= kSmallestTile;
}

}  // namespace mtfc::lowering
