#include "lowering/program/gradient_sums.h"

#include <algorithm>

namespace mtfc::lowering {

namespace {

bool passes(const InstructionKind& kind) {
  return std::holds_alternative<Map>(kind) || std::holds_alternative<Rearrange>(kind) ||
         std::holds_alternative<Shard>(kind) || is_collective(kind);
}

bool is_sum(const InstructionKind& kind) {
  if (const auto* all = std::get_if<AllReduce>(&kind)) return all->kind == Combine::sum;
  const auto* part = std::get_if<ReduceScatter>(&kind);
  return part && part->kind == Combine::sum;
}

}  // namespace

std::vector<bool> gradient_sums(const Program& program) {
  // By value: no instruction seen so far uses it for something else than the update.
  std::vector<bool> ends(program.values.size(), true), sums(program.instructions.size());
  for (std::size_t i = program.instructions.size(); i-- > 0;) {
    const Instruction& at = program.instructions[i];
    const bool results_end = std::all_of(at.results.begin(), at.results.end(),
                                         [&](ValueId result) { return ends[result.at()]; });
    sums[i] = is_sum(at.kind) && at.role.kind == StepRole::Kind::gradient && results_end;
    const bool ends_here =
        at.role.kind == StepRole::Kind::update || std::holds_alternative<Fetch>(at.kind);
    if (ends_here || (passes(at.kind) && results_end)) continue;
    for (ValueId operand : at.operands) ends[operand.at()] = false;
  }
  return sums;
}

}  // namespace mtfc::lowering
