#include "layout/meant_path.h"

#include <algorithm>
#include <vector>

#include "ir/glob.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::lowering {

namespace {

using Segments = std::vector<std::string>;

Segments segments_of(const std::string& path) {
  Segments segments;
  for (std::size_t begin = 0, end = 0; end != path.npos; begin = end + 1) {
    end = path.find('.', begin);
    segments.push_back(path.substr(begin, end == path.npos ? end : end - begin));
  }
  return segments;
}

std::string path_of(const Segments& segments) { return joined(segments, "."); }

/// Each of the ways with each of the segments behind it; not more than anybody reads.
std::vector<Segments> continued(const std::vector<Segments>& ways, const Segments& segments) {
  constexpr std::size_t most = 16;
  std::vector<Segments> longer;
  for (const Segments& way : ways)
    for (const std::string& segment : segments) {
      if (longer.size() == most) return longer;
      longer.push_back(way);
      longer.back().push_back(segment);
    }
  return longer;
}

class PathFinder {
 public:
  PathFinder(const std::set<std::string>& paths, Within within) : paths_(paths), within_(within) {
    for (const std::string& path : paths)
      for (std::string& segment : segments_of(path)) known_.insert(std::move(segment));
  }

  /// With more stars, or segments.
  std::optional<std::string> extended(const std::string& glob) const {
    const Segments segments = segments_of(glob);
    for (std::size_t i = segments.size(); i-- > 0;) {
      Segments other = segments;
      if (other[i] != "*") continue;
      other[i] = "**";
      if (auto found = if_any(path_of(other))) return found;
    }
    if (auto found = with_what_is_around(glob)) return found;
    if (auto found = if_any(glob + ".**")) return found;
    for (std::size_t i = segments.size(); i-- > 1;) {
      Segments other = segments;
      other.insert(other.begin() + static_cast<std::ptrdiff_t>(i), "**");
      if (auto found = if_any(path_of(other))) return found;
    }
    return std::nullopt;
  }

  /// With what no path has spelled as some have it.
  std::optional<MeantPath> respelled(const std::string& glob) const {
    std::vector<Segments> ways = {{}};
    bool is_sure = true, differs = false;
    for (const std::string& segment : segments_of(glob)) {
      Segments near = {segment};
      if (segment.find('*') == segment.npos && !known_.contains(general_path(segment))) {
        near = did_you_mean(segment, {known_.begin(), known_.end()});
        for (const std::string& other : near) is_sure = is_sure && is_mistyped(segment, other);
        differs = true;
      }
      ways = continued(ways, near);
    }
    if (!differs) return std::nullopt;
    std::vector<std::string> globs;
    for (const Segments& way : ways)
      if (const auto found = if_any(path_of(way)))
        globs.push_back(*found);
      else if (const auto longer = extended(path_of(way)))
        globs.push_back(*longer);
    if (globs.empty()) return std::nullopt;
    is_sure = is_sure && sole(globs) != nullptr;
    return MeantPath{std::move(globs), is_sure};
  }

 private:
  /// `general`: as of general_path.
  bool matches(const std::string& general, const std::string& path) const {
    if (glob_matches(general, path)) return true;
    if (within_ == Within::whole_paths) return false;
    for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1))
      if (glob_matches(general, path.substr(0, dot))) return true;
    return false;
  }

  bool matches_any(const std::string& glob) const {
    const std::string general = general_path(glob);
    return std::any_of(paths_.begin(), paths_.end(),
                       [&](const std::string& path) { return matches(general, path); });
  }

  std::optional<std::string> if_any(const std::string& glob) const {
    return matches_any(glob) ? std::optional(glob) : std::nullopt;
  }

  /// "layers.*.attn.wq" for "wq", "**.wq" if several blocks have one.
  std::optional<std::string> with_what_is_around(const std::string& glob) const {
    if (!matches_any("**." + glob)) return std::nullopt;
    const std::string general = general_path(glob);
    std::set<std::string> around;
    for (const std::string& path : paths_)
      for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1))
        if (matches(general, path.substr(dot + 1))) around.insert(path.substr(0, dot + 1));
    return (around.size() == 1 ? *around.begin() : "**.") + glob;
  }

  const std::set<std::string>& paths_;
  const Within within_;
  std::set<std::string> known_;  // segments of paths
};

std::string_view last(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

std::optional<MeantPath> meant_path(const std::string& glob, const std::set<std::string>& paths,
                                    Within within) {
  const PathFinder finder(paths, within);
  if (const auto found = finder.extended(glob)) return MeantPath{{*found}, true};
  if (auto found = finder.respelled(glob)) return found;
  std::vector<std::string> near = did_you_mean(glob, {paths.begin(), paths.end()});
  if (!near.empty()) return MeantPath{std::move(near)};
  const std::string ending(last(glob));
  if (ending.find('*') == ending.npos)
    for (const std::string& path : paths)
      if (last(path) == ending) return MeantPath{{"**." + ending}};
  return std::nullopt;
}

}  // namespace mtfc::lowering
