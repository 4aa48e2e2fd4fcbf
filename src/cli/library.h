// The library that ships with mtfc, by name.
#pragma once
#include <string>
#include <vector>

namespace mtfc::cli {

/// What `lib` takes: the files of the library, and the blocks in them.
std::vector<std::string> library_names();

}  // namespace mtfc::cli
