// Views of shards: where no data has to move.
#pragma once
#include <vector>

#include "ir/attrs.h"
#include "ir/type.h"

namespace mtfc::lowering {

/// A view on shards: how the operand must be split for it to be local, and the result's split then.
struct LocalView {
  Sharding operand, result;
};
LocalView local_view(const Mesh& mesh, const DimTable& dims, const std::vector<DimGroup>& groups,
                     const DimList& from, const DimList& to, const Sharding& sharding);

}  // namespace mtfc::lowering
