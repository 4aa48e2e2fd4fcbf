#include "plan/space/block_paths.h"

namespace mtfc::plan {

std::string path_around(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return std::string(dot == path.npos ? "" : path.substr(0, dot));
}

bool is_nested(std::string_view path, std::string_view around) {
  return path.size() > around.size() && path.starts_with(around) && path[around.size()] == '.';
}

}  // namespace mtfc::plan
