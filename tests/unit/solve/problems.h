// Problems for the tests of the solver.
#pragma once
#include <algorithm>
#include <random>
#include <string>

#include "solve/problem.h"

namespace mtfc::solve::test {

/// The problem that the contest explains its format with: 445 at best, 415 without its limit.
inline Problem example() {
  Problem problem{"example", {}, {}, 50};
  problem.nodes = {{30, 70, {15}, {10}},
                   {40, 70, {55, 65}, {25, 25}},
                   {50, 120, {25, 45, 35}, {15, 20, 15}},
                   {110, 140, {85, 75}, {10, 10}},
                   {110, 150, {95}, {15}}};
  problem.edges = {{0, 1, {30, 40}},
                   {0, 2, {50, 10, 40}},
                   {1, 3, {90, 10, 20, 80}},
                   {2, 4, {60, 20, 30}},
                   {3, 4, {70, 60}}};
  return problem;
}

struct Shape {
  std::size_t nodes = 6, strategies = 3, edges = 8;
  int never_percent = 15;  // of costs that are infinite
  double tightness = 0.5;  // of the limit, between what must and what can be used; above 1: none
};

inline Problem random_problem(std::mt19937_64& random, const Shape& shape) {
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const auto cost = [&](int never_percent) {
    return random() % 100 < static_cast<std::uint64_t>(never_percent)
               ? infinite
               : static_cast<Cost>(random() % 50) - 5;
  };
  Problem problem;
  std::int64_t least = 0, most = 0;
  for (std::size_t i = 0; i < shape.nodes; ++i) {
    ProblemNode node;
    node.from = static_cast<std::int64_t>(below(8));
    node.to = node.from + static_cast<std::int64_t>(below(6));  // now and then nothing
    for (std::size_t s = 1 + below(shape.strategies); s > 0; --s) {
      node.costs.push_back(cost(shape.never_percent / 4));
      node.usages.push_back(static_cast<Usage>(below(20)));
    }
    least += *std::min_element(node.usages.begin(), node.usages.end());
    most += *std::max_element(node.usages.begin(), node.usages.end());
    problem.nodes.push_back(node);
  }
  for (std::size_t e = 0; e < shape.edges; ++e) {
    ProblemEdge edge;
    edge.a = below(shape.nodes);
    edge.b = (edge.a + 1 + below(shape.nodes - 1)) % shape.nodes;
    const std::size_t pairs =
        problem.nodes[edge.a].costs.size() * problem.nodes[edge.b].costs.size();
    // Often each strategy goes with one of the other's, as when a value is passed on.
    const bool tied =
        problem.nodes[edge.a].costs.size() == problem.nodes[edge.b].costs.size() && below(3) == 0;
    for (std::size_t k = 0; k < pairs; ++k) {
      const std::size_t count = problem.nodes[edge.b].costs.size();
      edge.costs.push_back(tied && k / count != k % count ? infinite : cost(shape.never_percent));
    }
    problem.edges.push_back(edge);
  }
  if (shape.tightness <= 1)
    problem.limit =
        least / 2 + static_cast<Usage>(shape.tightness * static_cast<double>(most - least) / 2);
  return problem;
}

/// Every choice, one after the other. Nothing: none is possible.
inline std::optional<Cost> cheapest(const Problem& problem) {
  std::optional<Cost> best;
  std::vector<int> choice(problem.nodes.size(), 0);
  for (;;) {
    const Judgement judgement = judge(problem, choice);
    if (judgement.is_feasible(problem) && (!best || judgement.cost < *best)) best = judgement.cost;
    std::size_t i = 0;
    while (i < choice.size() &&
           static_cast<std::size_t>(++choice[i]) == problem.nodes[i].costs.size())
      choice[i++] = 0;
    if (i == choice.size()) return best;
  }
}

}  // namespace mtfc::solve::test
