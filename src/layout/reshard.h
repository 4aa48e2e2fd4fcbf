// From one split of a tensor to another, a view between them or not: the cheapest list of steps.
#pragma once
#include <vector>

#include "ir/program.h"

namespace mtfc::lowering {

using ReshardStep = std::variant<Shard, AllGather, AllToAll, Permute>;

/// What moves: a tensor with `dims`, split as `from`, is wanted as `to`. `partial` of both is that
/// of `from`: these axes are not touched.
struct Reshard {
  const Mesh& mesh;
  const DimTable& table;
  const DimList& dims;
  const Sharding& from;
  const Sharding& to;
};

/// The steps that send the fewest elements per processor, and of these the fewest messages, then
/// the fewest steps: a shortest path over all shardings of the tensor (Dijkstra). The same idea as
/// in Rink et al., arXiv 2112.01075, with general permutations. Where a mesh of many axes makes too
/// many shardings, the best that a bounded search finds (docs/decisions/0040-moves-by-search.md).
std::vector<ReshardStep> reshard(const Reshard& problem);

/// A view (Rearrange) works on shards if only majors of its groups are split. So the operand may
/// have to move before it, and the result after it.
struct ViewMoves {
  std::vector<ReshardStep> before;
  Sharding operand, result;  // around the view
  std::vector<ReshardStep> after;
};
/// `problem.to` splits `to_dims`, the dimensions of the view's result.
ViewMoves reshard_view(const Reshard& problem, const std::vector<DimGroup>& groups,
                       const DimList& to_dims);

/// The sharding after a step, of an all_gather of one tensor; unchanged if the step does not fit.
Sharding after(const DimList& dims, Sharding sharding, const ReshardStep& step);

}  // namespace mtfc::lowering
