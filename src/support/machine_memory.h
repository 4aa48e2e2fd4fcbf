// How much memory a process of this machine can have.
#pragma once
#include <cstdint>
#include <string>

namespace mtfc {

struct MachineMemory {
  std::int64_t physical = 0;  // bytes, less where a control group of this process limits them
  std::int64_t swap = 0;      // bytes
};

/// The least limit of the control groups, of version 1 or 2, that the file `groups` lists, and of
/// those above them, whose folders are in `root`; a number that no machine has if there is none. In
/// a container its own group is the root.
std::int64_t limit_of_groups(const std::string& groups, const std::string& root);

/// Read at the first call. Where the system says nothing there is no limit.
const MachineMemory& machine_memory();

}  // namespace mtfc
