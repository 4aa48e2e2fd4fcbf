// The updates of all parameters in step with each other. Layer-wise optimisers reduce small values
// of one parameter and go on with them; done one parameter after the other that is a message, and a
// wait, for each. In stages, what all parameters reduce stands together and is packed.
#include <algorithm>

#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

void batch_updates(Program& program) {
  // A value's stage: how many all-reduces of the update it waits for, one after the other.
  std::vector<int> stage_of_value(program.values.size());
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    int stage = 0;
    for (ValueId operand : instruction.operands)
      stage = std::max(stage, stage_of_value[operand.at()]);
    order.emplace_back(stage, i);
    const bool waits = instruction.role.kind == StepRole::Kind::update &&
                       std::holds_alternative<AllReduce>(instruction.kind);
    for (ValueId result : instruction.results) stage_of_value[result.at()] = stage + waits;
  }
  // In order within a stage: operands still come first.
  std::sort(order.begin(), order.end());
  std::vector<Instruction> staged;
  for (const auto& [stage, i] : order) staged.push_back(std::move(program.instructions[i]));
  program.instructions = std::move(staged);
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
