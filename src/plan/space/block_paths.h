// Paths of block instances, as scopes of a layout name them.
#pragma once
#include <string>
#include <string_view>

namespace mtfc::plan {

/// The path without its last segment; empty for one segment.
std::string path_around(std::string_view path);

/// Whether a block is nested in the other.
bool is_nested(std::string_view path, std::string_view around);

}  // namespace mtfc::plan
