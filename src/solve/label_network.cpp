#include "solve/label_network.h"

#include <numeric>

namespace mtfc::solve {
namespace {

std::vector<double> costs_of(const std::vector<Cost>& costs) {
  std::vector<double> all;
  all.reserve(costs.size());
  for (const Cost cost : costs) all.push_back(cost >= infinite ? never : static_cast<double>(cost));
  return all;
}

}  // namespace

Network network_of(const Problem& problem) {
  Network network;
  network.nodes.resize(problem.nodes.size());
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const ProblemNode& from = problem.nodes[i];
    NetworkNode& node = network.nodes[i];
    node.costs = costs_of(from.costs);
    for (std::size_t s = 0; s < from.usages.size(); ++s)
      if (problem.limit && from.lives() && from.usages[s] > *problem.limit) node.costs[s] = never;
    Member self{static_cast<std::uint32_t>(i), std::vector<std::uint16_t>(from.costs.size())};
    std::iota(self.strategy.begin(), self.strategy.end(), std::uint16_t{0});
    node.members.push_back(std::move(self));
  }
  for (const ProblemEdge& edge : problem.edges) {
    network.nodes[edge.a].edges.push_back(network.edges.size());
    network.nodes[edge.b].edges.push_back(network.edges.size());
    network.edges.push_back({edge.a, edge.b, costs_of(edge.costs)});
  }
  return network;
}

std::vector<int> strategies_of(const Network& network, const Problem& problem,
                               const std::vector<int>& labels) {
  std::vector<int> strategies(problem.nodes.size(), 0);
  for (std::size_t i = 0; i < network.nodes.size(); ++i)
    if (network.nodes[i].alive)
      for (const Member& member : network.nodes[i].members)
        strategies[member.node] = member.strategy[static_cast<std::size_t>(labels[i])];
  return strategies;
}

}  // namespace mtfc::solve
