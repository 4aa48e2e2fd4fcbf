// Which scopes of a layout hold for what a block instance makes.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc {

/// Whether a scope holds for what a block instance makes under a name (empty: it has none).
class ScopeGlob {
 public:
  ScopeGlob(LayoutScope::Kind kind, std::string glob) : kind_(kind), glob_(std::move(glob)) {}
  /// 0 if it does not. The larger, the narrower: of blocks, by the number of segments of the
  /// outermost that matches; of values, more than that of any block. A glob without "~" takes "up"
  /// and "up~1" alike, as their parameters do.
  int depth(std::string_view block, std::string_view name);

 private:
  LayoutScope::Kind kind_;
  std::string glob_;
  std::unordered_map<std::string, int> blocks_;  // what was asked before: a block makes much
};

/// The numbers of the scopes that hold, the first that holds first.
class ScopeFinder {
 public:
  explicit ScopeFinder(const Assignment& assignment);
  std::vector<int> of(std::string_view block, std::string_view name);
  /// Of an operation, by its block and the names of its results.
  std::vector<int> of(const Graph& graph, const Operation& op);

 private:
  std::vector<ScopeGlob> globs_;
};
/// The name of the operation's first result that has one; else empty.
std::string_view result_name(const Graph& graph, const Operation& op);
/// The path of the block instance that declares a parameter.
std::string_view block_of(std::string_view parameter);

}  // namespace mtfc
