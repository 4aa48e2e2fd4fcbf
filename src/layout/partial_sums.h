// Where sums stay partial: which values of a Graph are kept partial until they have been added up.
#pragma once
#include <vector>

#include "ir/graph.h"
#include "layout/graph_context.h"

namespace mtfc::lowering {

/// Per graph value: the axes over which its local result is partial, and whether it stays so.
struct PartialSum {
  PartialAxes made;    // as the local instruction makes it
  bool stays = false;  // every use takes it as it is; otherwise it is completed at once
};

/// partial_of, which does not know variables: what is read is partial as the variable is.
std::optional<PartialAxes> partial_of_result(const InstructionKind& kind,
                                             const ShardTypes& operands,
                                             const GraphContext& context);

/// A value stays partial only if every use may take it (partial_of) and none makes it larger, so
/// that no sum is done twice and none moves more elements than it would at once.
std::vector<PartialSum> find_partial_sums(const Graph& graph, const GraphContext& context);

}  // namespace mtfc::lowering
