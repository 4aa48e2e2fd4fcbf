// How much memory a process of this machine can have.
#pragma once
#include <cstdint>

namespace mtfc {

struct MachineMemory {
  std::int64_t physical = 0;  // bytes, less where a control group of this process limits them
  std::int64_t swap = 0;      // bytes
};

/// Read at the first call. Where the system says nothing there is no limit.
const MachineMemory& machine_memory();

}  // namespace mtfc
