// Which instructions carry elements as they are or convert them one by one, and which compute; and
// the smallest maps.
#pragma once
#include "ir/program.h"

namespace mtfc::lowering {

/// A variable's value before the step.
bool is_read(const InstructionKind& kind);
/// A variable's value after the step.
bool is_write(const InstructionKind& kind);
/// Products, of two tensors or added to a third.
bool multiplies(const InstructionKind& kind);
/// From split to replicated.
bool is_gather(const InstructionKind& kind);
/// Moves and views.
bool carries(const InstructionKind& kind);
/// Something for a processor to do while messages travel.
bool is_work(const InstructionKind& kind);
/// The cast of a map that is nothing else, as graphs make it; null for other instructions.
const ScalarInstruction* only_cast(const Instruction& instruction);
/// A map of two values that adds them, as graphs make it.
bool is_sum_of_two(const Instruction& instruction);
/// A map that casts one value.
InstructionKind casting(DType from, DType to);
/// A map that gives one number.
InstructionKind constant(double value, DType dtype);
/// A map that gives ints along a dimension, from `begin` on.
InstructionKind counting(DimId dim, std::int64_t begin);

}  // namespace mtfc::lowering
