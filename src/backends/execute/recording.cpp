#include "backends/execute/recording.h"

#include <chrono>

namespace mtfc::backends {

Recording::Time Recording::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::vector<Recording::Time>* Recording::begin(std::string_view program, std::size_t instructions) {
  const auto wanted = wanted_.find(program);
  if (wanted == wanted_.end() || wanted->second == 0) return nullptr;
  --wanted->second;
  std::vector<Time>& times = runs_.emplace_back(Run{std::string(program), {}}).times;
  times.reserve(instructions + 2);
  times.push_back(now());
  return &times;
}

}  // namespace mtfc::backends
