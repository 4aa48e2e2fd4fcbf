#include "layout/meant_path.h"

#include <algorithm>

#include "ir/glob.h"
#include "messages/did_you_mean.h"
#include "support/text.h"

namespace mtfc::lowering {

namespace {

/// The glob, if it matches something once its first segment is spelled as one of the paths begins.
std::optional<std::string> with_other_beginning(const std::string& glob,
                                                const std::set<std::string>& paths) {
  const auto first = [](const std::string& path) { return path.substr(0, path.find('.')); };
  for (const std::string& path : paths) {
    if (did_you_mean(first(glob), {first(path)}).empty()) continue;
    const std::string other = first(path) + glob.substr(first(glob).size());
    if (std::any_of(paths.begin(), paths.end(),
                    [&](const std::string& one) { return glob_matches(other, one); }))
      return other;
  }
  return std::nullopt;
}

/// The glob below the first path that contains what it matches: "layers.**" as "net.layers.**".
std::optional<std::string> with_what_is_around(const std::string& glob,
                                               const std::set<std::string>& paths, Within within) {
  for (const std::string& path : paths)
    for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1))
      for (std::size_t end = dot; end != path.npos;) {
        end = path.find('.', end + 1);
        if (within == Within::whole_paths && end != path.npos) continue;
        if (glob_matches(glob, path.substr(dot + 1, end == path.npos ? end : end - dot - 1)))
          return path.substr(0, dot + 1) + glob;
      }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> meant_path(const std::string& glob, const std::set<std::string>& paths,
                                      Within within) {
  const std::vector<std::string> near = did_you_mean(glob, {paths.begin(), paths.end()});
  if (!near.empty()) return near.front();
  const auto last = [](std::string_view path) { return path.substr(path.rfind('.') + 1); };
  const bool names_last = last(glob).find('*') == std::string_view::npos;
  for (const std::string& path : paths)
    if (names_last &&
        (last(path) == last(glob) || !did_you_mean(last(glob), {std::string(last(path))}).empty()))
      return path;
  if (const auto found = with_other_beginning(glob, paths)) return found;
  return with_what_is_around(glob, paths, within);
}

}  // namespace mtfc::lowering
