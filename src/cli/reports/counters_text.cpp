#include "cli/reports/counters_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace mtfc::cli {

std::string counters_text(const std::map<std::string, double>& counters) {
  std::string text = "\n  Mesh-TensorFlow's counters (elements, all processors)\n";
  for (const auto& [path, value] : counters) {
    const auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
    text += fmt::format("  {:<40} {:>10.3g}\n",
                        std::string(2 * depth, ' ') + path.substr(path.rfind('/') + 1), value);
  }
  return text;
}

}  // namespace mtfc::cli
