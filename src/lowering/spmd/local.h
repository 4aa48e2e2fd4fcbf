// One graph operation as a local instruction.
#pragma once
#include "ir/graph.h"
#include "ir/program.h"

namespace mtfc::lowering {

/// The instruction that does on shards what the operation does on whole tensors.
InstructionKind local_instruction(const Operation& op, const Graph& graph);

/// A view on shards: how the operand must be split for it to be local, and the result's split then.
struct LocalView {
  Sharding operand, result;
};
LocalView local_view(const Mesh& mesh, const DimTable& dims, const std::vector<DimGroup>& groups,
                     const DimList& from, const DimList& to, const Sharding& sharding);

}  // namespace mtfc::lowering
