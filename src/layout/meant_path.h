// What a glob that matches nothing may have meant.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mtfc::lowering {

/// What a glob has to match: a path, or its beginning, as of a block that has blocks in it.
enum class Within { whole_paths, beginnings };

struct MeantPath {
  std::vector<std::string> globs;  // each matches some of the paths; several that are equally near
  bool is_sure = false;            // one that is good enough to replace what is written
};

/// The glob with segments added before it, behind it or within, or with `**` for `*`; or with
/// segments that no path has spelled like some that paths have. Failing that a path that differs by
/// a few letters, or all with the same last segment. `paths` as of general_path.
std::optional<MeantPath> meant_path(const std::string& glob, const std::set<std::string>& paths,
                                    Within within = Within::whole_paths);

}  // namespace mtfc::lowering
