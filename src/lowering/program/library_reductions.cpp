// `set reduce=library`: the network's library may add, in an order of its own.
#include "lowering/state/passes.h"

namespace mtfc::lowering {

void library_reductions(State& s) {
  for (Program& program : s.made.module.programs)
    for (Instruction& instruction : program.instructions)
      if (Summing* how = summing(instruction.kind)) how->by_library = true;
}

}  // namespace mtfc::lowering
