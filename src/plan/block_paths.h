// Paths of block instances, as scopes of a layout name them.
#pragma once
#include <string>
#include <string_view>

namespace mtfc::plan {

/// "layers.3.attn" -> "layers.*.attn": iterations are alike.
std::string general_path(std::string_view path);
/// The path without its last segment; empty for one segment.
std::string path_around(std::string_view path);

}  // namespace mtfc::plan
