#include "solve/settle.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace mtfc::solve {
namespace {

/// An edge seen from one of its ends.
struct View {
  const NetworkEdge& edge;
  bool from_a;
  std::size_t columns;
  double at(std::size_t own, std::size_t other) const {
    return from_a ? edge.costs[own * columns + other] : edge.costs[other * columns + own];
  }
};

class Settlement {
 public:
  explicit Settlement(Network& network) : net_(network), waits_(network.edges.size(), false) {}

  void run() {
    for (std::size_t i = 0; i < net_.nodes.size(); ++i)
      if (net_.nodes[i].alive) drop_impossible(i);
    for (std::size_t e = 0; e < net_.edges.size(); ++e) wait(e);
    while (!queue_.empty() && net_.possible) {
      const std::size_t e = queue_.front();
      queue_.pop_front();
      waits_[e] = false;
      if (net_.edges[e].alive) examine(e);
    }
    sweep();
  }

 private:
  static std::uint64_t key(std::size_t a, std::size_t b) {
    return (static_cast<std::uint64_t>(std::min(a, b)) << 32) | std::max(a, b);
  }

  void wait(std::size_t e) {
    if (waits_[e] || !net_.edges[e].alive) return;
    waits_[e] = true;
    queue_.push_back(e);
  }

  View view(std::size_t e, std::size_t from) const {
    const NetworkEdge& edge = net_.edges[e];
    return {edge, edge.a == from, net_.nodes[edge.b].labels()};
  }

  /// Of a node whose label is impossible by itself.
  void drop_impossible(std::size_t i) {
    const std::vector<double>& costs = net_.nodes[i].costs;
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < costs.size(); ++s)
      if (costs[s] < never) kept.push_back(s);
    if (kept.size() < costs.size()) restrict_to(i, kept);
  }

  void restrict_to(std::size_t i, const std::vector<std::size_t>& kept) {
    keep_labels(net_, i, kept);
    if (kept.empty()) net_.possible = false;
    for (const std::size_t e : net_.nodes[i].edges) wait(e);
  }

  void examine(std::size_t e) {
    if (joined_a_parallel(e)) return;
    const std::size_t a = net_.edges[e].a, b = net_.edges[e].b;
    if (drop_unsupported(e, a) || drop_unsupported(e, b)) return wait(e);
    if (split_up(e)) return;
    const bool b_first = net_.nodes[b].edges.size() <= net_.nodes[a].edges.size();
    for (const std::size_t merged : {b_first ? b : a, b_first ? a : b})
      if (merge_into_other(e, merged)) return;
  }

  /// Adds the costs to an edge between the same nodes, if there is one.
  bool joined_a_parallel(std::size_t e) {
    NetworkEdge& edge = net_.edges[e];
    const auto [entry, fresh] = edge_of_.emplace(key(edge.a, edge.b), e);
    if (fresh || entry->second == e) return false;
    NetworkEdge& other = net_.edges[entry->second];
    if (!other.alive || key(other.a, other.b) != entry->first) {
      entry->second = e;
      return false;
    }
    const View added = view(e, other.a);
    const std::size_t other_columns = net_.nodes[other.b].labels();
    for (std::size_t k = 0; k < other.costs.size(); ++k)
      other.costs[k] += added.at(k / other_columns, k % other_columns);
    remove(e);
    wait(entry->second);
    return true;
  }

  bool drop_unsupported(std::size_t e, std::size_t i) {
    const View edge = view(e, i);
    const std::size_t own = net_.nodes[i].labels(), others = net_.nodes[other_end(e, i)].labels();
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < own; ++s) {
      bool supported = false;
      for (std::size_t t = 0; t < others && !supported; ++t) supported = edge.at(s, t) < never;
      if (supported) kept.push_back(s);
    }
    if (kept.size() == own) return false;
    restrict_to(i, kept);
    return true;
  }

  /// costs[s][t] = f(s) + g(t): no edge is needed. So it is if an end has one label.
  bool split_up(std::size_t e) {
    const NetworkEdge& edge = net_.edges[e];
    NetworkNode &a = net_.nodes[edge.a], &b = net_.nodes[edge.b];
    const std::size_t columns = b.labels();
    const double first = edge.costs[0];
    if (first == never) return false;
    for (std::size_t s = 0; s < a.labels(); ++s) {
      const double* row = &edge.costs[s * columns];
      for (std::size_t t = 0; t < columns; ++t)
        if (row[t] == never || row[t] - row[0] != edge.costs[t] - first) return false;
    }
    for (std::size_t s = 0; s < a.labels(); ++s) a.costs[s] += edge.costs[s * columns];
    for (std::size_t t = 0; t < columns; ++t) b.costs[t] += edge.costs[t] - first;
    remove(e);
    return true;
  }

  /// If each label of the other end goes with one label of `i` only.
  bool merge_into_other(std::size_t e, std::size_t i) {
    const std::size_t other = other_end(e, i);
    const View edge = view(e, other);
    const std::size_t labels = net_.nodes[other].labels(), own = net_.nodes[i].labels();
    std::vector<std::size_t> fixed(labels);
    for (std::size_t t = 0; t < labels; ++t) {
      std::size_t found = own;
      for (std::size_t s = 0; s < own; ++s) {
        if (edge.at(t, s) == never) continue;
        if (found < own) return false;
        found = s;
      }
      fixed[t] = found;
    }
    for (std::size_t t = 0; t < labels; ++t)
      net_.nodes[other].costs[t] += edge.at(t, fixed[t]) + net_.nodes[i].costs[fixed[t]];
    remove(e);
    take_over(other, i, fixed);
    drop_impossible(other);
    return true;
  }

  void take_over(std::size_t other, std::size_t i, const std::vector<std::size_t>& fixed) {
    NetworkNode &to = net_.nodes[other], &from = net_.nodes[i];
    for (Member& member : from.members) {
      std::vector<std::uint16_t> strategy(fixed.size());
      for (std::size_t t = 0; t < fixed.size(); ++t) strategy[t] = member.strategy[fixed[t]];
      to.members.push_back({member.node, std::move(strategy)});
    }
    const std::vector<std::size_t> edges = from.edges;
    for (const std::size_t e : edges) move_edge(e, other, i, fixed);
    from = NetworkNode{};
    from.alive = false;
  }

  void move_edge(std::size_t e, std::size_t other, std::size_t i,
                 const std::vector<std::size_t>& fixed) {
    NetworkEdge& edge = net_.edges[e];
    const std::size_t far = other_end(e, i), labels = net_.nodes[far].labels();
    const View old = view(e, i);
    if (far == other) {  // a second edge between the two
      for (std::size_t t = 0; t < fixed.size(); ++t)
        net_.nodes[other].costs[t] += old.at(fixed[t], t);
      return remove(e);
    }
    std::vector<double> costs(fixed.size() * labels);
    for (std::size_t t = 0; t < fixed.size(); ++t)
      for (std::size_t s = 0; s < labels; ++s) costs[t * labels + s] = old.at(fixed[t], s);
    edge = {other, far, std::move(costs)};
    net_.nodes[other].edges.push_back(e);
    wait(e);
  }

  std::size_t other_end(std::size_t e, std::size_t i) const {
    return net_.edges[e].a == i ? net_.edges[e].b : net_.edges[e].a;
  }

  void remove(std::size_t e) {
    NetworkEdge& edge = net_.edges[e];
    for (const std::size_t i : {edge.a, edge.b}) {
      std::vector<std::size_t>& list = net_.nodes[i].edges;
      const auto at = std::find(list.begin(), list.end(), e);
      if (at == list.end()) continue;
      *at = list.back();
      list.pop_back();
    }
    edge.alive = false;
    edge.costs = {};
  }

  /// What is settled goes into the constant.
  void sweep() {
    for (NetworkNode& node : net_.nodes) {
      if (!node.alive || !net_.possible) continue;
      const double least = *std::min_element(node.costs.begin(), node.costs.end());
      net_.constant += least;
      for (double& cost : node.costs) cost -= least;
    }
  }

  Network& net_;
  std::deque<std::size_t> queue_;  // edges to look at
  std::vector<bool> waits_;
  std::unordered_map<std::uint64_t, std::size_t> edge_of_;  // by its two nodes
};

}  // namespace

void keep_labels(Network& network, std::size_t i, const std::vector<std::size_t>& labels) {
  NetworkNode& node = network.nodes[i];
  const std::size_t before = node.labels();
  for (const std::size_t e : node.edges) {
    NetworkEdge& edge = network.edges[e];
    const bool from_a = edge.a == i;
    const std::size_t rows = network.nodes[edge.a].labels(),
                      columns = network.nodes[edge.b].labels();
    std::vector<double> costs;
    costs.reserve(edge.costs.size() / before * labels.size());
    if (from_a) {
      for (const std::size_t s : labels)
        costs.insert(costs.end(), edge.costs.begin() + static_cast<std::ptrdiff_t>(s * columns),
                     edge.costs.begin() + static_cast<std::ptrdiff_t>((s + 1) * columns));
    } else {
      for (std::size_t r = 0; r < rows; ++r)
        for (const std::size_t s : labels) costs.push_back(edge.costs[r * columns + s]);
    }
    edge.costs = std::move(costs);
  }
  std::vector<double> costs;
  for (const std::size_t s : labels) costs.push_back(node.costs[s]);
  node.costs = std::move(costs);
  for (Member& member : node.members) {
    std::vector<std::uint16_t> strategy;
    for (const std::size_t s : labels) strategy.push_back(member.strategy[s]);
    member.strategy = std::move(strategy);
  }
}

void settle(Network& network) { Settlement(network).run(); }

}  // namespace mtfc::solve
