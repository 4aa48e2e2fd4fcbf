#include "lowering/program/program_passes.h"

#include <algorithm>

namespace mtfc::lowering {

namespace {
bool has_effect(const InstructionKind& kind) {
  return std::holds_alternative<Write>(kind) || std::holds_alternative<Fetch>(kind);
}

/// Whether the values are numbered as the instructions make them, and nothing else is.
bool is_in_order(const Program& program) {
  std::size_t next = 0;
  for (const Instruction& instruction : program.instructions)
    for (const ValueId r : instruction.results)
      if (r.at() != next++) return false;
  return next == program.values.size();
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
  // After most passes, which found nothing to do.
  if (std::find(stays.begin(), stays.end(), false) == stays.end() && is_in_order(program)) return;
  std::vector<Instruction>& all = program.instructions;
  std::vector<ProgramValue> values;
  values.reserve(program.values.size());
  std::vector<ValueId> map(program.values.size());
  std::size_t staying = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!stays[i]) continue;
    for (ValueId& o : all[i].operands) o = map[o.at()];
    for (ValueId& r : all[i].results) {
      const ValueId fresh = next_id<ValueId>(values);
      values.push_back(std::move(program.values[r.at()]));
      map[r.at()] = fresh;
      r = fresh;
    }
    if (staying != i) all[staying] = std::move(all[i]);
    ++staying;
  }
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(staying), all.end());
  program.values = std::move(values);
}

}  // namespace mtfc::lowering
