#include "lowering/program/waits.h"

namespace mtfc::lowering {

Instruction wait_for(Program& program, const Instruction& started, std::vector<ValueId>& whole) {
  Instruction wait{Wait{}, started.results, {}, started.origin, started.role};
  wait.operands.insert(wait.operands.end(), started.operands.begin(), started.operands.end());
  for (ValueId result : started.results) {
    const ValueId complete = next_id<ValueId>(program.values);
    program.values.push_back(program.at(result));
    whole.push_back({});
    whole[result.at()] = complete;
    wait.results.push_back(complete);
  }
  return wait;
}

}  // namespace mtfc::lowering
