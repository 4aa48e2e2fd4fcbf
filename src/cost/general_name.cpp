#include "cost/general_name.h"

#include <algorithm>

namespace mtfc::backends {

std::string general_name(const std::string& path) {
  std::string text;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    text += (begin > 0 ? "." : "") + (number ? "*" : part);
    begin = end + 1;
  }
  return text;
}

}  // namespace mtfc::backends
