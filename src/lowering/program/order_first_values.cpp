// Each variable gets its first value before that of the next is begun, so that no more than one of
// them is in memory beside the variables.
#include <algorithm>
#include <numeric>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

void order_first_values(Program& program) {
  const std::size_t count = program.instructions.size();
  // The number of the first write that needs the instruction; of those that none needs, the last.
  std::vector<std::size_t> needed_by(count, count), used_by(program.values.size(), count);
  for (std::size_t i = count; i-- > 0;) {
    const Instruction& at = program.instructions[i];
    if (is_write(at.kind)) needed_by[i] = i;
    for (const ValueId result : at.results)
      needed_by[i] = std::min(needed_by[i], used_by[result.at()]);
    for (const ValueId operand : at.operands)
      used_by[operand.at()] = std::min(used_by[operand.at()], needed_by[i]);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return needed_by[a] < needed_by[b]; });
  std::vector<Instruction> all;
  all.reserve(count);
  for (const std::size_t i : order) all.push_back(std::move(program.instructions[i]));
  program.instructions = std::move(all);
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
