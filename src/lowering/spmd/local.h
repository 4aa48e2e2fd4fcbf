// One graph operation as a local instruction.
#pragma once
#include "ir/graph.h"
#include "ir/program.h"

namespace mtfc::lowering {

/// The instruction that does on shards what the operation does on whole tensors.
InstructionKind local_instruction(const Operation& op, const Graph& graph);

}  // namespace mtfc::lowering
