// What an operation makes of operands that are split like this: what must move first, how its
// result is split and over which axes it is a partial sum, what moves afterwards, and what that
// sends. Checking, lowering and whatever compares layouts ask here.
#pragma once
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/program.h"
#include "layout/move_table.h"
#include "ops/factors.h"

namespace mtfc::lowering {

/// What resolve needs to know of an operation beside shardings: found once, asked often.
struct OpForm {
  /// The instruction that does it on shards. Absent for composites: these are resolved up to their
  /// result's split, which is complete.
  std::optional<InstructionKind> local;
  ops::Factors factors;
  std::vector<TensorType> operands;
  TensorType result;
  /// Of what reads a variable: how that is kept.
  std::optional<Sharding> kept;
};
OpForm form_of(const Operation& op, const Graph& graph, std::optional<InstructionKind> local);

/// Two indices of one operation (two dimensions of one tensor) on one mesh axis. They are equal if
/// an operation uses one dimension for two of its indices (x[d = e] where e has d as well).
struct Clash {
  DimId first, second;
  AxisId axis;
};

/// How the result is wanted. With `may_stay_partial` it is not completed, unless it has to move.
struct Wanted {
  Sharding sharding;  // the split
  bool may_stay_partial = false;
  /// Summed indices that are to be split like this, or more if the operands are.
  struct Summed {
    DimId dim;
    std::vector<AxisId> axes;
  };
  std::vector<Summed> summed = {};
  /// At the edge of a scope the result may be made as the operands are split, and moved, where that
  /// sends less than to move these. Not if it moves one of `weights` (numbers of operands):
  /// gathered, they would fill the memory that splitting them saves.
  bool may_move = false;
  std::vector<std::size_t> weights = {};
};

struct Resolved {
  struct Operand {
    Sharding sharding;             // as the local instruction takes it
    bool completed = false;        // an all-reduce over its partial axes is the first move
    const Moves* moves = nullptr;  // then these; they live as long as the table
  };
  std::vector<Operand> operands;
  Sharding made;                 // by the local instruction, with the axes of partial sums
  bool completed = false;        // an all-reduce follows
  const Moves* moves = nullptr;  // then these lead to what is wanted
  Sharding result;               // after all
  double sent_bytes = 0;         // by one processor, for all moves
  /// The axes that an index had to give up because another index of the operation has them. A
  /// layout whose rules lead there is not legal (legality.h); the answer holds all the same.
  std::vector<Clash> clashes;
};

/// Every question has an answer. Operands are moved no more than the operation demands: along an
/// index of the result they are split as the result is wanted, along a summed index as operands
/// agree, and what must be whole is gathered. Partial sums pass where the operation is linear in
/// them (partial_of) and nothing has to move; else they are completed first.
Resolved resolve(MoveTable& table, const OpForm& op, const std::vector<const Sharding*>& operands,
                 const Wanted& wanted);

/// Resolved::clashes alone.
std::vector<Clash> clashes_of(const OpForm& op, const std::vector<const Sharding*>& operands,
                              const Sharding& wanted);

}  // namespace mtfc::lowering
