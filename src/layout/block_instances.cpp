#include "layout/block_instances.h"

#include <algorithm>
#include <map>

#include "ir/glob.h"
#include "ir/scope_finder.h"

namespace mtfc::lowering {
namespace {

bool matches_any(const std::vector<std::string>& globs, std::string_view block) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return glob_takes(glob, block); });
}

}  // namespace

std::vector<std::string> block_instances(const Graph& graph) {
  std::vector<std::string> found;
  std::set<std::string, std::less<>> seen;
  for (const Operation& op : graph.ops) {
    std::vector<std::string> fresh;
    for (std::string_view block = op.role.block; !block.empty(); block = block_of(block))
      if (seen.emplace(block).second) fresh.emplace_back(block);
    found.insert(found.end(), fresh.rbegin(), fresh.rend());
  }
  return found;
}

std::set<std::string> block_paths(const Graph& graph) {
  std::set<std::string> paths;
  for (const Operation& op : graph.ops)
    if (!op.role.block.empty()) paths.insert(general_path(op.role.block.str()));
  return paths;
}

std::string repeated_block(const Graph& graph) {
  std::vector<std::string> paths;
  std::map<std::string, int> uses;
  for (const std::string& block : block_instances(graph)) {
    paths.push_back(without_uses(general_path(block)));
    ++uses[paths.back()];
  }
  const auto segments = [](const std::string& path) {
    return std::count(path.begin(), path.end(), '.');
  };
  const std::string* best = nullptr;
  for (const std::string& path : paths)
    if (uses[path] > 1 && (!best || segments(path) < segments(*best))) best = &path;
  return best ? *best : paths.empty() ? "" : paths.back();
}

std::vector<std::string> matching(const std::vector<std::string>& globs, const Graph& graph) {
  std::vector<std::string> found;
  for (const std::string& block : block_instances(graph)) {
    bool nested = false;
    for (std::string_view around = block_of(block); !around.empty(); around = block_of(around))
      nested = nested || matches_any(globs, around);
    if (!nested && matches_any(globs, block)) found.push_back(block);
  }
  return found;
}

}  // namespace mtfc::lowering
