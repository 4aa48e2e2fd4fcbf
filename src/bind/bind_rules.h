// What each instruction becomes: one rule per instruction, for bind() alone. The files beside this
// one define them by what instructions do, bind.cpp those without a kernel.
#pragma once
#include "bind/bind.h"

namespace mtfc::bind {

/// The shards that an instruction reads and makes.
struct Shards {
  const Context& context;
  std::vector<ShardView> operands, results;
  std::vector<const ShardType*> operand_types, result_types;

  Shards(const Context& context, const Program& program, const Instruction& instruction);
  explicit Shards(const Context& context) : context(context) {}
};

#define MTFC_INSTRUCTION(Kind) Bound bind_rule(const Kind& kind, const Shards& shards);
#include "ir/instr/instructions.def"
#undef MTFC_INSTRUCTION

}  // namespace mtfc::bind
