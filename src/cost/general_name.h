// Names of values without the numbers of block instances.
#pragma once
#include <string>

namespace mtfc::backends {

/// "layers.*.attn.q" of "layers.3.attn.q": instances of a block are one.
std::string general_name(const std::string& path);

}  // namespace mtfc::backends
