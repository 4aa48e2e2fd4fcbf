#include "ir/glob.h"

#include <algorithm>

#include <vector>

namespace mtfc {

bool glob_matches(std::string_view glob, std::string_view path) {
  // What stands before the first star and behind the last decides most questions.
  const std::size_t first = glob.find('*');
  if (first == glob.npos) return glob == path;
  if (path.substr(0, first) != glob.substr(0, first)) return false;
  std::string_view end = glob.substr(glob.rfind('*') + 1);
  if (end.starts_with('.')) end.remove_prefix(1);  // "**.b" matches "b"
  if (!path.ends_with(end)) return false;
  // reach[i]: the glob read so far matches the first i characters of the path.
  std::vector<bool> reach(path.size() + 1);
  reach[first] = true;
  for (std::size_t g = first; g < glob.size();) {
    const bool across = glob.substr(g, 2) == "**";
    const bool skippable = across && glob.substr(g, 3) == "**." && (g == 0 || glob[g - 1] == '.');
    std::vector<bool> next(path.size() + 1);
    if (glob[g] == '*') {
      bool open = false;
      for (std::size_t i = 0; i <= path.size(); ++i) {
        open = open || reach[i];
        next[i] = open;
        if (i < path.size() && path[i] == '.' && !across) open = false;
      }
      if (skippable) {  // "**." as a whole: everything up to a dot, or nothing
        std::vector<bool> dotted = reach;
        for (std::size_t i = 0; i < path.size(); ++i)
          if (next[i] && path[i] == '.') dotted[i + 1] = true;
        next = dotted;
        g += 1;
      }
      g += across ? 2 : 1;
    } else {
      for (std::size_t i = 0; i < path.size(); ++i) next[i + 1] = reach[i] && path[i] == glob[g];
      g += 1;
    }
    reach = next;
  }
  return reach[path.size()];
}

std::string general_path(std::string_view path) {
  std::string all;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    const bool number = !segment.empty() && segment.find_first_not_of("0123456789") == segment.npos;
    all += (begin > 0 ? "." : "") + (number ? "*" : std::string(segment));
    begin = end + 1;
  }
  return all;
}

std::string without_uses(std::string_view path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '~')
      while (i < path.size() && path[i] != '.') ++i;
    if (i < path.size()) text += path[i];
  }
  return text;
}

bool glob_takes(std::string_view glob, std::string_view path) {
  return glob_matches(glob, glob.find('~') == glob.npos ? without_uses(path) : std::string(path));
}

}  // namespace mtfc
