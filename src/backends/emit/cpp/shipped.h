// The sources of the runtime, as they were when this compiler was built: part of its binary.
#pragma once
#include <vector>

namespace mtfc::backends {

struct ShippedFile {
  const char* path;
  const char* text;
};
const std::vector<ShippedFile>& shipped_runtime();
/// CMakeLists.txt, README.md and runtime.cmake of emitted programs.
const std::vector<ShippedFile>& emit_templates();

}  // namespace mtfc::backends
