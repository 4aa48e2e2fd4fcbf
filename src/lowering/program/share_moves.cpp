// What is sent twice is sent once: equal collectives and shards of one value.
#include <map>

#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {

bool moves(const InstructionKind& kind) {
  return is_collective(kind) || std::holds_alternative<Shard>(kind);
}

}  // namespace

void share_moves(Program& program) {
  std::vector<ValueId> same(program.values.size());
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = ValueId{static_cast<std::int32_t>(i)};
  std::multimap<std::vector<ValueId>, std::size_t> seen;  // by operands
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    Instruction& instruction = program.instructions[i];
    for (ValueId& operand : instruction.operands) operand = same[operand.at()];
    if (!moves(instruction.kind)) continue;
    const auto [first, last] = seen.equal_range(instruction.operands);
    for (auto earlier = first; earlier != last; ++earlier) {
      const Instruction& other = program.instructions[earlier->second];
      if (other.kind != instruction.kind || other.role.recompute != instruction.role.recompute)
        continue;
      for (std::size_t r = 0; r < instruction.results.size(); ++r)
        same[instruction.results[r].at()] = other.results[r];
      break;
    }
    seen.emplace(instruction.operands, i);
  }
  prune(program);
}

}  // namespace mtfc::lowering
