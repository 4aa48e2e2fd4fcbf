#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {
bool has_effect(const InstructionKind& kind) {
  return std::holds_alternative<Write>(kind) || std::holds_alternative<Fetch>(kind);
}
}  // namespace

void prune(Program& program) {
  std::vector<bool> needed(program.values.size());
  std::vector<bool> stays(program.instructions.size());
  for (std::size_t i = program.instructions.size(); i-- > 0;) {
    const Instruction& instruction = program.instructions[i];
    stays[i] = has_effect(instruction.kind);
    for (ValueId r : instruction.results) stays[i] = stays[i] || needed[r.at()];
    if (!stays[i]) continue;
    for (ValueId o : instruction.operands) needed[o.at()] = true;
  }
  Program result{program.name, {}, {}};  // what stays moves into it
  result.instructions.reserve(program.instructions.size());
  result.values.reserve(program.values.size());
  std::vector<ValueId> map(program.values.size());
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    if (!stays[i]) continue;
    Instruction instruction = std::move(program.instructions[i]);
    for (ValueId& o : instruction.operands) o = map[o.at()];
    for (ValueId& r : instruction.results) {
      const ValueId fresh = next_id<ValueId>(result.values);
      result.values.push_back(std::move(program.values[r.at()]));
      map[r.at()] = fresh;
      r = fresh;
    }
    result.instructions.push_back(std::move(instruction));
  }
  program = std::move(result);
}

}  // namespace mtfc::lowering
