// A choice of one strategy for each node, as the contest on intra-operator parallelism of ASPLOS
// 2025 states it: costs of nodes and of pairs of nodes add up, and at no time may what the nodes
// that are alive use exceed a limit. M. D. Moffitt, P. Fegade, "The ASPLOS 2025 / EuroSys 2025
// contest on intra-operator parallelism for distributed deep learning", 2025.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mtfc::solve {

using Cost = std::int64_t;
using Usage = std::int64_t;

/// A cost from here on means: not possible.
inline constexpr Cost infinite = 1'000'000'000'000'000'000;

struct ProblemNode {
  std::int64_t from = 0, to = 0;  // alive in [from, to)
  std::vector<Cost> costs;        // by strategy
  std::vector<Usage> usages;      // by strategy, while alive
  bool lives() const { return from < to; }
};

struct ProblemEdge {
  std::size_t a = 0, b = 0;  // two nodes
  std::vector<Cost> costs;   // [strategy of a][strategy of b]
};

struct Problem {
  std::string name;
  std::vector<ProblemNode> nodes;
  std::vector<ProblemEdge> edges;
  std::optional<Usage> limit;
};

/// What one strategy for each node costs.
struct Judgement {
  bool possible = true;  // no part of the cost is infinite
  Cost cost = 0;         // if it is possible
  Usage peak = 0;        // the most that is used at any time
  bool is_feasible(const Problem& problem) const {
    return possible && (!problem.limit || peak <= *problem.limit);
  }
};

/// Exact, from the problem as it was read.
Judgement judge(const Problem& problem, const std::vector<int>& strategies);

}  // namespace mtfc::solve
