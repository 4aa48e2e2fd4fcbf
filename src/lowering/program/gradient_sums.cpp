#include "lowering/program/gradient_sums.h"
#include "lowering/program/carriers.h"

#include <algorithm>

namespace mtfc::lowering {

namespace {

bool passes(const InstructionKind& kind) {
  return std::holds_alternative<Map>(kind) || passes_unchanged(kind);
}

bool is_sum(const InstructionKind& kind) {
  if (const auto* all = std::get_if<AllReduce>(&kind)) return all->kind == Combine::sum;
  const auto* part = std::get_if<ReduceScatter>(&kind);
  return part && part->kind == Combine::sum;
}

}  // namespace

bool passes_unchanged(const InstructionKind& kind) {
  return std::holds_alternative<Rearrange>(kind) || std::holds_alternative<Shard>(kind) ||
         is_collective(kind);
}

bool is_gradient_sum(const Instruction& at) {
  return is_sum(at.kind) && at.role.kind == StepRole::Kind::gradient;
}

std::vector<bool> only_for_update(const Program& program) {
  std::vector<bool> ends(program.values.size(), true);
  for (std::size_t i = program.instructions.size(); i-- > 0;) {
    const Instruction& at = program.instructions[i];
    const bool results_end = std::all_of(at.results.begin(), at.results.end(),
                                         [&](ValueId result) { return ends[result.at()]; });
    // What micro-batches add up is written by the backward pass.
    const bool ends_here = at.role.kind == StepRole::Kind::update ||
                           std::holds_alternative<Fetch>(at.kind) ||
                           (at.role.kind == StepRole::Kind::gradient && is_write(at.kind));
    if (ends_here || (passes(at.kind) && results_end)) continue;
    for (ValueId operand : at.operands) ends[operand.at()] = false;
  }
  return ends;
}

std::vector<bool> gradient_sums(const Program& program) {
  const std::vector<bool> ends = only_for_update(program);
  std::vector<bool> sums(program.instructions.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Instruction& at = program.instructions[i];
    sums[i] = is_gradient_sum(at) && std::all_of(at.results.begin(), at.results.end(),
                                                 [&](ValueId result) { return ends[result.at()]; });
  }
  return sums;
}

}  // namespace mtfc::lowering
