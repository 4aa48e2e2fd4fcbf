// What surrounds the emitted sources: how to build and how to run them.
#pragma once
#include <cstdint>
#include <string>

namespace mtfc::backends {

std::string cmake_text();
std::string readme_text(std::int64_t processors);

}  // namespace mtfc::backends
