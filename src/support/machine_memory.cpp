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

/// The least number that a file of this name has in the folder of a group, "/a/b", and of those
/// above it.
std::int64_t least_of(const std::string& root, std::string group, const std::string& file) {
  std::int64_t least = no_limit;
  while (true) {
    least = std::min(least, number_in(root + group + file));
    if (group.empty()) return least;
    group.resize(group.rfind('/'));
  }
}

MachineMemory read_memory() {
  struct sysinfo system;
  if (::sysinfo(&system) != 0) return {no_limit, 0};
  const auto unit = static_cast<std::int64_t>(system.mem_unit);
  const std::int64_t limit = limit_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
  return {std::min(static_cast<std::int64_t>(system.totalram) * unit, limit),
          static_cast<std::int64_t>(system.totalswap) * unit};
}

}  // namespace

std::int64_t limit_of_groups(const std::string& groups, const std::string& root) {
  std::ifstream file(groups);
  std::int64_t limit = no_limit;
  // "4:cpu,memory:/a/b": number, controllers, group. Version 2 has number 0 and names none.
  for (std::string number, controllers, group; std::getline(file, number, ':') &&
                                               std::getline(file, controllers, ':') &&
                                               std::getline(file, group);) {
    if (group == "/") group.clear();
    if (number == "0" && controllers.empty())
      limit = std::min(limit, least_of(root, group, "/memory.max"));
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      limit = std::min(limit, least_of(root + "/memory", group, "/memory.limit_in_bytes"));
  }
  return limit;
}

const MachineMemory& machine_memory() {
  static const MachineMemory memory = read_memory();
  return memory;
}

}  // namespace mtfc
