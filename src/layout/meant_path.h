// What a glob that matches nothing may have meant.
#pragma once
#include <optional>
#include <set>
#include <string>

namespace mtfc::lowering {

/// What a glob has to match: a path, or its beginning, as of a block that has blocks in it.
enum class Within { whole_paths, beginnings };

/// Of these paths one that differs by a few letters, or has the same last segment; or the glob with
/// another first segment, or with segments before it, that make it match.
std::optional<std::string> meant_path(const std::string& glob, const std::set<std::string>& paths,
                                      Within within = Within::whole_paths);

}  // namespace mtfc::lowering
