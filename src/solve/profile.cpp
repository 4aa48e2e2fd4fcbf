#include "solve/profile.h"

#include <algorithm>
#include <numeric>

namespace mtfc::solve {
namespace {

/// A change of what labels use, at a moment.
struct Change {
  std::uint32_t moment;
  const Member* member;
  double sign;
};

std::vector<Change> changes_of(const NetworkNode& node, const Problem& problem,
                               const Moments& moments) {
  std::vector<Change> changes;
  for (const Member& member : node.members) {
    if (!problem.nodes[member.node].lives()) continue;
    changes.push_back({moments.first[member.node], &member, 1});
    changes.push_back({moments.last[member.node], &member, -1});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& x, const Change& y) { return x.moment < y.moment; });
  return changes;
}

/// `least` gets what the node uses in any case: differences by moment.
std::vector<ProfilePiece> pieces_of(const NetworkNode& node, const Problem& problem,
                                    const Moments& moments, std::vector<double>& least) {
  std::vector<ProfilePiece> pieces;
  const std::vector<Change> changes = changes_of(node, problem, moments);
  std::vector<double> now(node.labels(), 0.0);
  for (std::size_t k = 0; k < changes.size();) {
    const std::uint32_t from = changes[k].moment;
    for (; k < changes.size() && changes[k].moment == from; ++k) {
      const std::vector<Usage>& usages = problem.nodes[changes[k].member->node].usages;
      for (std::size_t s = 0; s < now.size(); ++s)
        now[s] += changes[k].sign * static_cast<double>(usages[changes[k].member->strategy[s]]);
    }
    if (k == changes.size()) break;
    const std::uint32_t to = changes[k].moment;
    const auto [low, high] = std::minmax_element(now.begin(), now.end());
    least[from] += *low;
    least[to] -= *low;
    if (*low == *high) continue;
    ProfilePiece piece{from, to, now};
    for (double& usage : piece.usage) usage -= *low;
    if (!pieces.empty() && pieces.back().to == from && pieces.back().usage == piece.usage)
      pieces.back().to = to;
    else
      pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// The least slack of each stretch in which no piece begins or ends, where labels could exceed it.
class Merging {
 public:
  Merging(Profiles& profiles, const std::vector<double>& least, double limit)
      : profiles_(profiles), least_(least), limit_(limit), index_(least.size(), 0) {}

  void merge() {
    find_borders();
    for (std::size_t t = 0; t + 1 < least_.size(); ++t) {
      if (border_[t]) open_ = false;
      index_[t] = static_cast<std::uint32_t>(slack_.size() - (open_ ? 1 : 0));
      const double slack = limit_ - least_[t];
      if (most_[t] <= slack && slack >= 0) continue;
      take(static_cast<std::uint32_t>(t), slack);
    }
    index_.back() = static_cast<std::uint32_t>(slack_.size());
    renumber();
  }

 private:
  void take(std::uint32_t moment, double slack) {
    if (!open_ || slack < slack_.back()) {
      if (open_) slack_.pop_back(), profiles_.moment.pop_back();
      slack_.push_back(slack);
      profiles_.moment.push_back(moment);
    }
    open_ = true;
  }

  void find_borders() {
    border_.assign(least_.size(), false);
    most_.assign(least_.size(), 0.0);
    for (const auto& pieces : profiles_.nodes)
      for (const ProfilePiece& piece : pieces) {
        border_[piece.from] = border_[piece.to] = true;
        const double most = *std::max_element(piece.usage.begin(), piece.usage.end());
        most_[piece.from] += most;
        most_[piece.to] -= most;
      }
    std::partial_sum(most_.begin(), most_.end(), most_.begin());
  }

  /// A border is the first moment of its stretch, so that its index is that of the next slack.
  void renumber() {
    for (auto& pieces : profiles_.nodes) {
      std::vector<ProfilePiece> kept;
      for (ProfilePiece& piece : pieces) {
        piece.from = index_[piece.from];
        piece.to = index_[piece.to];
        if (piece.from < piece.to) kept.push_back(std::move(piece));
      }
      pieces = std::move(kept);
    }
    profiles_.slack = std::move(slack_);
    profiles_.stretch = std::move(index_);
  }

  Profiles& profiles_;
  const std::vector<double>& least_;
  const double limit_;
  std::vector<bool> border_;
  std::vector<double> most_, slack_;
  std::vector<std::uint32_t> index_;  // by moment: how many stretches begin before it
  bool open_ = false;
};

}  // namespace

Profiles profiles_of(const Network& network, const Problem& problem, const Moments& moments) {
  Profiles profiles;
  profiles.nodes.resize(network.nodes.size());
  profiles.stretch.assign(moments.count + 1, 0);  // none of them
  if (!problem.limit) return profiles;
  std::vector<double> least(moments.count + 1, 0.0);
  for (std::size_t i = 0; i < network.nodes.size(); ++i)
    if (network.nodes[i].alive)
      profiles.nodes[i] = pieces_of(network.nodes[i], problem, moments, least);
  std::partial_sum(least.begin(), least.end(), least.begin());
  Merging(profiles, least, static_cast<double>(*problem.limit)).merge();
  return profiles;
}

}  // namespace mtfc::solve
