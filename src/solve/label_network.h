// What is left of a problem when everything forced is settled: nodes with labels, costs of labels
// and of pairs of labels. A node stands for the nodes of the problem whose strategies its label
// fixes.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "solve/problem.h"

namespace mtfc::solve {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// A node of the problem, and the strategy that it takes under each label.
struct Member {
  std::uint32_t node = 0;
  std::vector<std::uint16_t> strategy;
};

struct NetworkEdge {
  std::size_t a = 0, b = 0;
  std::vector<double> costs;  // [label of a][label of b]
  bool alive = true;
};

struct NetworkNode {
  std::vector<double> costs;  // by label
  std::vector<Member> members;
  std::vector<std::size_t> edges;
  bool alive = true;
  std::size_t labels() const { return costs.size(); }
};

struct Network {
  std::vector<NetworkNode> nodes;
  std::vector<NetworkEdge> edges;
  double constant = 0;
  bool possible = true;  // false: some node has no label left
};

/// Each node by itself. A strategy that alone exceeds the limit costs `never`.
Network network_of(const Problem& problem);

/// The strategies of the problem's nodes under these labels of living nodes.
std::vector<int> strategies_of(const Network& network, const Problem& problem,
                               const std::vector<int>& labels);

}  // namespace mtfc::solve
