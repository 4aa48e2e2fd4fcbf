#include "ir/scope_finder.h"

#include <algorithm>
#include <limits>

#include "ir/glob.h"

namespace mtfc {

namespace {

/// Of the outermost of a block and those around it that the glob matches: its segments.
int outermost(std::string_view glob, std::string_view block) {
  int found = 0;
  for (; !block.empty(); block = block_of(block))
    if (glob_takes(glob, block))
      found = 1 + static_cast<int>(std::count(block.begin(), block.end(), '.'));
  return found;
}

}  // namespace

int ScopeGlob::depth(std::string_view block, std::string_view name) {
  if (kind_ == LayoutScope::Kind::value)
    return !name.empty() && glob_takes(glob_, name) ? std::numeric_limits<int>::max() : 0;
  const auto [found, fresh] = blocks_.try_emplace(std::string(block), 0);
  if (fresh) found->second = outermost(glob_, block);
  return found->second;
}

ScopeFinder::ScopeFinder(const Assignment& assignment) {
  for (const Assignment::Scope& scope : assignment.scopes)
    globs_.emplace_back(scope.kind, scope.glob);
}

std::vector<int> ScopeFinder::of(std::string_view block, std::string_view name) {
  std::vector<std::pair<int, int>> matching;  // depth, negative; number
  for (std::size_t i = 0; i < globs_.size(); ++i)
    if (const int depth = globs_[i].depth(block, name))
      matching.emplace_back(-depth, static_cast<int>(i));
  std::sort(matching.begin(), matching.end());
  std::vector<int> found;
  for (const auto& [depth, number] : matching) found.push_back(number);
  return found;
}

std::vector<int> ScopeFinder::of(const Graph& graph, const Operation& op) {
  return globs_.empty() ? std::vector<int>{} : of(op.role.block, result_name(graph, op));
}

std::string_view block_of(std::string_view parameter) {
  const std::size_t dot = parameter.rfind('.');
  return dot == parameter.npos ? std::string_view{} : parameter.substr(0, dot);
}

std::string_view result_name(const Graph& graph, const Operation& op) {
  for (ValueId id : op.results)
    if (!graph.at(id).name.empty()) return graph.at(id).name;
  return {};
}

}  // namespace mtfc
