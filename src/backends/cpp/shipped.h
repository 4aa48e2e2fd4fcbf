// The sources of the runtime, as they were when this compiler was built: part of its binary.
#pragma once
#include <vector>

namespace mtfc::backends {

struct ShippedFile {
  const char* path;
  const char* text;
};
const std::vector<ShippedFile>& shipped_runtime();

}  // namespace mtfc::backends
