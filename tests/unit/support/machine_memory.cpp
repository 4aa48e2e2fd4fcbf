// Limits of control groups.
#include "support/machine_memory.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "scratch_folder.h"

namespace support_machine_memory_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

/// A root of control groups with these files.
class Groups {
 public:
  void add(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  std::int64_t limit(const std::string& groups) const {
    add("groups", groups);
    return limit_of_groups(folder_ / "groups", folder_ / "");
  }

 private:
  ScratchFolder folder_;
};

constexpr std::int64_t beyond_machines = std::int64_t{1} << 60;

}  // namespace

TEST_CASE("the memory of a control group of version 2 is the least of those around it") {
  const Groups root;
  root.add("a/memory.max", "5000");
  root.add("a/b/memory.max", "max");
  CHECK(root.limit("0::/a/b") == 5000);
  CHECK(root.limit("0::/") > beyond_machines);
  CHECK(root.limit("0::/other") > beyond_machines);
  root.add("memory.max", "4000");
  CHECK(root.limit("0::/") == 4000);
}

TEST_CASE("the memory of a control group of version 1 is that of its own controller") {
  const Groups root;
  root.add("memory/memory.limit_in_bytes", "9223372036854771712");
  root.add("memory/a/memory.limit_in_bytes", "6000");
  root.add("cpu/memory.limit_in_bytes", "1");
  CHECK(root.limit("5:cpu:/a\n4:blkio,memory:/a/b\n0::/") == 6000);
  CHECK(root.limit("4:memory:/") > beyond_machines);
}

}  // namespace support_machine_memory_test
