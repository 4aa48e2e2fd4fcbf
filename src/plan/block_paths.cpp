#include "plan/block_paths.h"

#include <algorithm>

namespace mtfc::plan {

std::string general_path(std::string_view path) {
  std::string all;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    const bool number = segment.find_first_not_of("0123456789") == segment.npos;
    all += (all.empty() ? "" : ".") + (number ? "*" : std::string(segment));
    begin = end + 1;
  }
  return all;
}

std::string path_around(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return std::string(dot == path.npos ? "" : path.substr(0, dot));
}

}  // namespace mtfc::plan
