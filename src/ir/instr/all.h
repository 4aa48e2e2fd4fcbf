// The instructions. One header each says what is known about it:
//   kName        its name in dumps and JSON
//   fields       its fields (fields.h)
//   check        what is wrong with the types around it; "" if nothing is
//   partial      partial axes of its results; nothing if some operand must be completed first.
//                `rounded`: rounding to a narrower float type may come before a sum is complete
//   flops        scalar operations of one processor, as so many for each element (without: none),
//   or
//                several of these
//   along        of a collective: the mesh axes along which it sends, ascending
//   traffic      of a collective: the types that say how much moves
//   how          of a sum over processors: a Summing
//   kOverwrites  the operand in whose memory the result may be made, if no other is there
//   kEdge        what surrounds the program sees it: what is fed, fetched and written
// A new instruction is a header, its row in instructions.def, and its binding (src/bind); a new
// field is a line of `fields`.
#pragma once
#include <variant>

#include "ir/instr/instructions.def"
#include "support/type_list.h"

namespace mtfc {

using InstructionKind = VariantOf<void
#define MTFC_INSTRUCTION(Kind) , Kind
#include "ir/instr/instructions.def"
#undef MTFC_INSTRUCTION
                                  >;

/// "map", "contract", ..., as in dumps.
std::string_view name(const InstructionKind& kind);
/// What surrounds the program sees it.
template <class Kind>
concept IsEdge = requires {
  Kind::kEdge;
};
/// True for the collectives that send messages: all_reduce .. permute (not shard).
bool is_collective(const InstructionKind& kind);
/// Of an all_reduce or a reduce_scatter; null for others.
Summing* summing(InstructionKind& kind);
const Summing* summing(const InstructionKind& kind);

/// Whether the collective is only started here; null for what cannot be.
bool* async_flag(InstructionKind& kind);
bool is_async(const InstructionKind& kind);

/// The operand in whose memory the result may be made, by its `kOverwrites`; nothing for others.
std::optional<std::size_t> overwritten_operand(const InstructionKind& kind);

/// The path of the variable that a read or a write (which has no result) is of; null for others.
const std::string* variable_of(const InstructionKind& kind);

/// What is wrong with the types around an instruction, partial axes included; "" if nothing is.
std::string check(const InstructionKind& kind, const InstrContext& context);

/// The partial axes of the results, or nothing if some operand must be completed first: the one
/// rule of which instruction takes partial values. Lowering decides by it where sums stay partial;
/// `check` asks it again after every pass.
///
/// A partial sum passes what is jointly linear in a group of operands (add, the branches of a
/// select) if the whole group is partial over the same axes, and what is multilinear (product,
/// contract, gather in its first operand) if no other operand varies along those axes, and casts to
/// a wider float type (`rounded`: to any float type). A partial maximum passes maxima only,
/// likewise minima. Reduced dimensions that are split add their axes. All results of a map agree.
PartialResult partial_of(const InstructionKind& kind, const ShardTypes& operands,
                         bool rounded = false);

/// Scalar operations on one processor: multiply-add 2, each scalar operation of a map 1, each
/// element that a reduction reads 1. Their sum; empty: it computes none.
std::vector<Flops> flops(const InstructionKind& kind, const InstrContext& context);
double flops_of(const InstructionKind& kind, const InstrContext& context);

/// The axes of a collective, ascending; none for other instructions.
std::vector<AxisId> axes_of(const InstructionKind& kind);
/// What a collective moves, per processor; nothing for other instructions.
struct Traffic {
  std::int64_t elements = 0, bytes = 0;
};
/// The shards that a collective counts as moved: its operands', or what it makes of them.
const ShardTypes& moved_types(const InstructionKind& kind, const InstrContext& context);
Traffic traffic_of(const InstructionKind& kind, const InstrContext& context);

}  // namespace mtfc
