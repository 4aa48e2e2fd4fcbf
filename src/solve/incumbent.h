// The cheapest choice that is possible so far, shared by threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "solve/problem.h"

namespace mtfc::solve {

class Incumbent {
 public:
  explicit Incumbent(const Problem& problem) : problem_(problem), cost_(above_all(problem)) {}

  /// Takes it if it is possible and the cheapest so far: judged by the problem itself.
  void offer(const std::vector<int>& strategies) {
    const Judgement judgement = judge(problem_, strategies);
    if (!judgement.is_feasible(problem_)) return;
    const std::lock_guard lock(mutex_);
    if (judgement.cost >= cost_) return;
    strategies_ = strategies;
    cost_ = judgement.cost;
    found_ = true;
  }
  /// Whether it is worth an offer, as far as doubles can tell.
  bool may_gain(double cost) const {
    return std::fabs(cost) > 4e15 || cost < static_cast<double>(cost_.load()) - 0.5;
  }
  /// Before the first: more than any choice costs.
  Cost cost() const { return cost_; }
  bool found() const { return found_; }
  std::vector<int> strategies() const {
    const std::lock_guard lock(mutex_);
    return strategies_;
  }

 private:
  static Cost above_all(const Problem& problem) {
    Cost sum = 1;
    const auto add = [&](const std::vector<Cost>& costs) {
      Cost most = -infinite;
      for (const Cost cost : costs)
        if (cost < infinite) most = std::max(most, cost);
      if (most > -infinite) sum += most;
    };
    for (const ProblemNode& node : problem.nodes) add(node.costs);
    for (const ProblemEdge& edge : problem.edges) add(edge.costs);
    return sum;
  }

  const Problem& problem_;
  mutable std::mutex mutex_;
  std::atomic<Cost> cost_;
  std::atomic<bool> found_ = false;
  std::vector<int> strategies_;
};

}  // namespace mtfc::solve
