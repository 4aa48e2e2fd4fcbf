// Program: one processor's view. SSA over shards, straight-line, a closed set of instructions.
// Nothing here names a processor or a size: both follow from the types (the law, type.h).
#pragma once
#include <string>
#include <vector>

#include "ir/instr/all.h"
#include "ir/origin.h"
#include "ir/step_role.h"
#include "ir/type.h"
#include "support/special_members.h"

namespace mtfc {

struct ProgramValue {
  ShardType type;
  SharedText name;  // a hint from the model, for readable code; not unique
};

struct Instruction {
  InstructionKind kind;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  Origin origin;
  StepRole role = {};
};

struct Program {
  MTFC_DECLARE_SPECIAL_MEMBERS(Program, noexcept);
  explicit Program(std::string named);

  std::string name;
  std::vector<ProgramValue> values;
  std::vector<Instruction> instructions;

  const ProgramValue& at(ValueId id) const { return values[id.at()]; }
};

/// Of an instruction's operands or results, as its rules take them.
inline ShardTypes types_of(const Program& program, const std::vector<ValueId>& values) {
  ShardTypes types;
  for (ValueId id : values) types.push_back(program.at(id).type);
  return types;
}

}  // namespace mtfc
