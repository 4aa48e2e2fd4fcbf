// `set wire=bf16`: sums of gradients travel in bf16. What each processor adds to the sum is rounded
// before it is sent and the sum once after it; it is added in f32, in the order of the processors.
#include "lowering/program/carriers.h"
#include "lowering/program/gradient_sums.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {

ValueId narrow_copy(Program& program, ValueId value) {
  const ValueId copy = next_id<ValueId>(program.values);
  program.values.push_back(program.at(value));
  program.values.back().type.tensor.dtype = DType::bf16;
  return copy;
}

}  // namespace

void compress_gradients(Program& program) {
  const std::vector<bool> gradients = gradient_sums(program);
  std::vector<Instruction> all;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    Instruction& instruction = program.instructions[i];
    if (!gradients[i] || instruction.operands.size() != 1 ||
        program.at(instruction.operands[0]).type.tensor.dtype != DType::f32) {
      all.push_back(std::move(instruction));
      continue;
    }
    const ValueId from = instruction.operands[0], to = instruction.results[0];
    const ValueId sent = narrow_copy(program, from), received = narrow_copy(program, to);
    instruction.operands = {sent};
    instruction.results = {received};
    const Origin origin = instruction.origin;
    const StepRole role = instruction.role;
    all.push_back({casting(DType::f32, DType::bf16), {from}, {sent}, origin, role});
    all.push_back(std::move(instruction));
    all.push_back({casting(DType::bf16, DType::f32), {received}, {to}, origin, role});
  }
  program.instructions = std::move(all);
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
