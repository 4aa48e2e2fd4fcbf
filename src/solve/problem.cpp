#include "solve/problem.h"

#include <algorithm>
#include <utility>

namespace mtfc::solve {
namespace {

/// The most at any time: what a node uses begins at `from` and ends before `to`.
Usage peak_of(const Problem& problem, const std::vector<int>& strategies) {
  std::vector<std::pair<std::int64_t, Usage>> changes;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const ProblemNode& node = problem.nodes[i];
    if (!node.lives()) continue;
    const Usage usage = node.usages[static_cast<std::size_t>(strategies[i])];
    changes.emplace_back(node.from, usage);
    changes.emplace_back(node.to, -usage);
  }
  std::sort(changes.begin(), changes.end());  // at one time ends come first
  Usage now = 0, peak = 0;
  for (const auto& [time, change] : changes) peak = std::max(peak, now += change);
  return peak;
}

}  // namespace

Judgement judge(const Problem& problem, const std::vector<int>& strategies) {
  Judgement judgement;
  __extension__ __int128 sum = 0;
  const auto add = [&](Cost cost) {
    if (cost >= infinite) judgement.possible = false;
    sum += cost;
  };
  for (std::size_t i = 0; i < problem.nodes.size(); ++i)
    add(problem.nodes[i].costs[static_cast<std::size_t>(strategies[i])]);
  for (const ProblemEdge& edge : problem.edges) {
    const std::size_t columns = problem.nodes[edge.b].costs.size();
    add(edge.costs[static_cast<std::size_t>(strategies[edge.a]) * columns +
                   static_cast<std::size_t>(strategies[edge.b])]);
  }
  if (judgement.possible) judgement.cost = static_cast<Cost>(sum);
  judgement.peak = peak_of(problem, strategies);
  return judgement;
}

}  // namespace mtfc::solve
