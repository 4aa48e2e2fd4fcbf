#include "data/files/output_location.h"

#include <system_error>

namespace mtfc::runtime {

namespace fs = std::filesystem;

fs::path location_of(const std::string& path) {
  constexpr int most_links = 40;
  std::error_code failed;
  fs::path found = fs::absolute(path, failed);
  if (!found.has_filename()) found = found.parent_path();  // "folder/"
  for (int i = 0; i < most_links && fs::is_symlink(found, failed); ++i)
    found = found.parent_path() / fs::read_symlink(found, failed);
  const fs::path whole = fs::weakly_canonical(found, failed);
  return failed ? found : whole;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  return a == b || fs::equivalent(a, b, failed);
}

bool is_within(const fs::path& output, const std::string& read) {
  std::error_code failed;
  const fs::path from = location_of(read);
  if (!fs::is_directory(from, failed)) return is_same_file(output, from);
  return fs::exists(output, failed) && is_same_file(output.parent_path(), from);
}

}  // namespace mtfc::runtime
