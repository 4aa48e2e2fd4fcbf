// From one split of a tensor to another: the cheapest list of steps.
#pragma once
#include <vector>

#include "ir/program.h"

namespace mtfc::lowering {

using ReshardStep = std::variant<Shard, AllGather, AllToAll, Permute>;

/// Steps that lead from `from` to `to`, both without partial axes, for a tensor with `dims`.
/// unsplit -> split: a local slice; split -> unsplit: all-gather; one axis moves between
/// dimensions: all-to-all; one dimension changes its axis for another of equal size: permute.
std::vector<ReshardStep> reshard(const Mesh& mesh, const DimList& dims, const Sharding& from,
                                 const Sharding& to);

/// The sharding after a step.
Sharding after(const DimList& dims, Sharding sharding, const ReshardStep& step);

}  // namespace mtfc::lowering
