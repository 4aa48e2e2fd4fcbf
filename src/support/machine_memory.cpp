#include "support/machine_memory.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace mtfc {
namespace {

constexpr std::int64_t no_limit = INT64_MAX / 2;

/// The number in `path`; no_limit if there is none, as in "max".
std::int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  return file >> number ? std::min(number, no_limit) : no_limit;
}

/// The least limit of this process's control group (version 2) and those above it. In a container
/// its own group is the root.
std::int64_t limit_of_groups() {
  std::ifstream file("/proc/self/cgroup");
  std::string line, group;
  while (std::getline(file, line))
    if (line.starts_with("0::/")) group = line.substr(3);
  std::int64_t limit = no_limit;
  while (true) {
    limit = std::min(limit, number_in("/sys/fs/cgroup" + group + "/memory.max"));
    if (group.empty()) return limit;
    group.resize(group.rfind('/'));
  }
}

MachineMemory read_memory() {
  struct sysinfo system;
  if (::sysinfo(&system) != 0) return {no_limit, 0};
  const auto unit = static_cast<std::int64_t>(system.mem_unit);
  return {std::min(static_cast<std::int64_t>(system.totalram) * unit, limit_of_groups()),
          static_cast<std::int64_t>(system.totalswap) * unit};
}

}  // namespace

const MachineMemory& machine_memory() {
  static const MachineMemory memory = read_memory();
  return memory;
}

}  // namespace mtfc
