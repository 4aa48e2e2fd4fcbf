#include "solve/core.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solve/profile.h"

namespace mtfc::solve {
namespace {

/// The least and the largest finite cost; 0 and 0 if there is none.
std::pair<double, double> range_of(const std::vector<double>& costs) {
  double low = never, high = -never;
  for (const double cost : costs)
    if (cost < never) low = std::min(low, cost), high = std::max(high, cost);
  return low <= high ? std::pair{low, high} : std::pair{0.0, 0.0};
}

/// By how much any two solutions may differ, and 1: what a pair of labels that is not possible
/// costs beyond those that are, so that no solution with it is better than one without.
double forbidding_cost(const Network& network) {
  double sum = 1;
  const auto add = [&](const std::vector<double>& costs) {
    const auto [low, high] = range_of(costs);
    sum += high - low;
  };
  for (const NetworkNode& node : network.nodes)
    if (node.alive) add(node.costs);
  for (const NetworkEdge& edge : network.edges)
    if (edge.alive) add(edge.costs);
  return sum;
}

class Flattening {
 public:
  Flattening(const Network& network, Profiles profiles)
      : net_(network), profiles_(std::move(profiles)), index_(network.nodes.size(), 0) {}

  Core run() {
    core_.constant = net_.constant;
    core_.slack = profiles_.slack;
    core_.moment = std::move(profiles_.moment);
    core_.stretch = std::move(profiles_.stretch);
    core_.possible = net_.possible && std::none_of(core_.slack.begin(), core_.slack.end(),
                                                   [](double slack) { return slack < 0; });
    if (!core_.possible) return std::move(core_);
    take_nodes();
    take_edges();
    link();
    return std::move(core_);
  }

 private:
  void take_nodes() {
    core_.offset.push_back(0);
    core_.piece_begin.push_back(0);
    for (std::size_t i = 0; i < net_.nodes.size(); ++i) {
      const NetworkNode& node = net_.nodes[i];
      if (!node.alive || node.labels() < 2) continue;
      index_[i] = static_cast<std::uint32_t>(core_.size());
      core_.node.push_back(i);
      core_.labels.push_back(static_cast<std::uint32_t>(node.labels()));
      core_.costs.insert(core_.costs.end(), node.costs.begin(), node.costs.end());
      core_.offset.push_back(core_.costs.size());
      for (const ProfilePiece& piece : profiles_.nodes[i]) {
        core_.pieces.push_back({piece.from, piece.to, core_.usage.size()});
        core_.usage.insert(core_.usage.end(), piece.usage.begin(), piece.usage.end());
      }
      core_.piece_begin.push_back(core_.pieces.size());
    }
  }

  void take_edges() {
    const double forbidding = forbidding_cost(net_);
    for (const NetworkEdge& edge : net_.edges) {
      if (!edge.alive) continue;
      const std::size_t rows = net_.nodes[edge.a].labels(), columns = net_.nodes[edge.b].labels();
      const std::size_t at = core_.costs_ab.size();
      const double impossible = range_of(edge.costs).first + forbidding;
      const bool turned = index_[edge.a] > index_[edge.b];
      const std::size_t m = turned ? columns : rows, n = turned ? rows : columns;
      core_.costs_ab.resize(at + m * n);
      core_.costs_ba.resize(at + m * n);
      for (std::size_t s = 0; s < m; ++s)
        for (std::size_t t = 0; t < n; ++t) {
          const double given = edge.costs[turned ? t * columns + s : s * columns + t];
          const double cost = given < never ? given : impossible;
          core_.largest = std::max(core_.largest, std::fabs(cost));
          core_.costs_ab[at + s * n + t] = cost;
          core_.costs_ba[at + t * m + s] = cost;
        }
      const std::uint32_t a = index_[edge.a], b = index_[edge.b];
      core_.edges.push_back({std::min(a, b), std::max(a, b), at, core_.message_size});
      core_.message_size += m + n;
    }
  }

  void link() {
    std::vector<std::vector<CoreLink>> links(core_.size());
    for (std::size_t e = 0; e < core_.edges.size(); ++e) {
      const CoreEdge& edge = core_.edges[e];
      links[edge.a].push_back({static_cast<std::uint32_t>(e), edge.b});
      links[edge.b].push_back({static_cast<std::uint32_t>(e), edge.a});
    }
    core_.link_begin.push_back(0);
    for (std::vector<CoreLink>& list : links) {
      std::sort(list.begin(), list.end(),
                [](const CoreLink& x, const CoreLink& y) { return x.other < y.other; });
      core_.links.insert(core_.links.end(), list.begin(), list.end());
      core_.link_begin.push_back(core_.links.size());
    }
  }

  const Network& net_;
  Profiles profiles_;
  std::vector<std::uint32_t> index_;  // in the core, by node of the network
  Core core_;
};

}  // namespace

Core core_of(const Network& network, const Problem& problem, const Moments& moments) {
  if (!network.possible) return Flattening(network, {}).run();
  return Flattening(network, profiles_of(network, problem, moments)).run();
}

double cost_of(const Core& core, const Labels& labels) {
  double cost = 0;
  for (std::size_t i = 0; i < core.size(); ++i)
    cost += core.costs[core.offset[i] + static_cast<std::size_t>(labels[i])];
  for (const CoreEdge& edge : core.edges)
    cost += core.costs_ab[edge.at + static_cast<std::size_t>(labels[edge.a]) * core.labels[edge.b] +
                          static_cast<std::size_t>(labels[edge.b])];
  return cost;
}

void add_differences(const Core& core, std::span<const CorePiece> pieces, int label, double sign,
                     std::vector<double>& differences) {
  for (const CorePiece& piece : pieces) {
    const double used = sign * core.usage[piece.at + static_cast<std::size_t>(label)];
    differences[piece.from] += used;
    differences[piece.to] -= used;
  }
}

std::vector<double> usage_of(const Core& core, const Labels& labels) {
  std::vector<double> usage(core.moments() + 1, 0.0);
  for (std::size_t i = 0; i < core.size(); ++i)
    add_differences(core, core.pieces_of(i), labels[i], 1, usage);
  std::partial_sum(usage.begin(), usage.end(), usage.begin());
  usage.pop_back();
  return usage;
}

bool fits(const Core& core, const Labels& labels) {
  const std::vector<double> usage = usage_of(core, labels);
  return std::equal(usage.begin(), usage.end(), core.slack.begin(),
                    [](double used, double slack) { return used <= slack; });
}

std::vector<double> prices_of(const Core& core, const std::vector<double>& price) {
  std::vector<double> before(core.moments() + 1, 0.0);
  for (std::size_t t = 0; t < price.size(); ++t) before[t + 1] = before[t] + price[t];
  std::vector<double> prices(core.costs.size(), 0.0);
  for (std::size_t i = 0; i < core.size(); ++i)
    for (const CorePiece& piece : core.pieces_of(i)) {
      const double each = before[piece.to] - before[piece.from];
      if (each <= 0) continue;
      double* to = &prices[core.offset[i]];
      const double* usage = &core.usage[piece.at];
      for (std::size_t s = 0; s < core.labels[i]; ++s) to[s] += each * usage[s];
    }
  return prices;
}

double rounding_of(const Core& core, const std::vector<double>& unary) {
  double largest = core.largest;
  for (const double cost : unary) largest = std::max(largest, std::fabs(cost));
  return 4 * std::numeric_limits<double>::epsilon() * largest *
         static_cast<double>(core.size() + core.edges.size());
}

Labels network_labels(const Core& core, const Network& network, const Labels& labels) {
  Labels all(network.nodes.size(), 0);
  for (std::size_t i = 0; i < core.size(); ++i) all[core.node[i]] = labels[i];
  return all;
}

}  // namespace mtfc::solve
