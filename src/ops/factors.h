// Factors: the index space of an operation and the role of each index. Legality, lowering and cost
// read factors, never operation names.
#pragma once
#include <vector>

#include "ir/graph.h"

namespace mtfc::ops {

enum class Role {
  parallel,    // in the result; a split stays
  reduced,     // not in the result; if split, the local result is partial over that axis
  replicated,  // the operand must be replicated along it (gathered first)
  indexed,     // indexed by another operand (gather) or created by it (scatter): offset from the
               // type; if split, the local result is partial over that axis
  created,     // in the result only (index, broadcast): offset from the type, or nothing
  regrouped,   // in a view: moves with its group
};

struct Factor {
  Role role{};
  /// The dimension that carries this index, per operand and in the results; invalid where absent.
  std::vector<DimId> operands;
  DimId result;
};

struct Factors {
  std::vector<Factor> list;
  Combine combine = Combine::sum;  // how reduced and indexed factors' partial results combine
};

/// Factors by name: a dimension in some operand and the result is parallel, in operands only
/// reduced, in the result only created.
Factors factors_by_name(const Operation& op, const Graph& graph);

}  // namespace mtfc::ops
