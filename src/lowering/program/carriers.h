// Instructions that carry elements as they are, or convert them one by one.
#pragma once
#include "ir/program.h"

namespace mtfc::lowering {

/// From split to replicated.
bool is_gather(const InstructionKind& kind);
/// From one sharding to another, without sums, by messages.
bool is_move(const InstructionKind& kind);
/// Moves and views.
bool carries(const InstructionKind& kind);
/// The cast of a map that is nothing else, as graphs make it; null for other instructions.
const ScalarInstruction* only_cast(const Instruction& instruction);

}  // namespace mtfc::lowering
