#include "solve/dominate.h"

#include <algorithm>

#include "solve/settle.h"

namespace mtfc::solve {
namespace {

constexpr std::size_t most_labels = 2000;  // of a node; their pairs are compared

class Comparison {
 public:
  Comparison(const Network& network, const Profiles& profiles, std::size_t node)
      : node_(network.nodes[node]), pieces_(profiles.nodes[node]) {
    for (const std::size_t e : node_.edges) {
      const NetworkEdge& edge = network.edges[e];
      const std::size_t columns = network.nodes[edge.b].labels();
      rows_.push_back(edge.a == node ? edge.costs : transposed(edge.costs, columns));
      widths_.push_back(network.nodes[edge.a == node ? edge.b : edge.a].labels());
    }
  }

  /// Whether label `t` is not needed beside `s`.
  bool covers(std::size_t s, std::size_t t) const {
    for (const ProfilePiece& piece : pieces_)
      if (piece.usage[s] > piece.usage[t]) return false;
    double worst = node_.costs[s] - node_.costs[t];
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const double* own = &rows_[k][s * widths_[k]];
      const double* other = &rows_[k][t * widths_[k]];
      double most = -never;
      for (std::size_t x = 0; x < widths_[k]; ++x)
        if (other[x] < never) most = std::max(most, own[x] - other[x]);
      worst += most;
    }
    return worst <= 0;
  }

 private:
  static std::vector<double> transposed(const std::vector<double>& costs, std::size_t columns) {
    std::vector<double> turned(costs.size());
    const std::size_t rows = costs.size() / columns;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) turned[c * rows + r] = costs[r * columns + c];
    return turned;
  }

  const NetworkNode& node_;
  const std::vector<ProfilePiece>& pieces_;
  std::vector<std::vector<double>> rows_;  // by edge: [own label][other label]
  std::vector<std::size_t> widths_;
};

}  // namespace

std::size_t drop_dominated(Network& network, const Profiles& profiles) {
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const std::size_t count = network.nodes[i].labels();
    if (!network.nodes[i].alive || count < 2 || count > most_labels) continue;
    const Comparison comparison(network, profiles, i);
    std::vector<bool> gone(count, false);
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t t = 0; t < count && !gone[s]; ++t)
        if (t != s && !gone[t] && comparison.covers(s, t)) gone[t] = true;
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < count; ++s)
      if (!gone[s]) kept.push_back(s);
    if (kept.size() == count) continue;
    dropped += count - kept.size();
    keep_labels(network, i, kept);
  }
  return dropped;
}

}  // namespace mtfc::solve
