#include "layout/reshard.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>

#include "layout/local_view.h"
#include "layout/permutations.h"

namespace mtfc::lowering {

namespace {

using Axes = std::vector<AxisId>;
using Split = std::vector<Axes>;

/// After so many steps tried, the search gives up. Searches on meshes of three axes try hundreds.
constexpr int kMostTried = 20'000;
/// Axes that split neither before nor after may help on the way; larger meshes leave them out.
constexpr std::size_t kAllAxes = 4;

struct View {
  const std::vector<DimGroup>& groups;
  const DimList& dims;  // of the result
};

/// A sharding, before or after the view.
struct SearchState {
  bool viewed = false;
  Split split;
  friend bool operator==(const SearchState&, const SearchState&) = default;
  friend bool operator<(const SearchState& a, const SearchState& b) {
    return a.viewed != b.viewed ? a.viewed < b.viewed : a.split < b.split;
  }
};

struct Cost {
  double elements = 0;  // sent by a processor
  int messages = 0, steps = 0;
  int late = 0;  // messages after the view: before it they may serve other uses of the operand
  friend auto operator<=>(const Cost&, const Cost&) = default;
};
Cost operator+(const Cost& a, const Cost& b) {
  return {a.elements + b.elements, a.messages + b.messages, a.steps + b.steps, a.late + b.late};
}

class Search {
 public:
  Search(const Reshard& problem, const View* view) : p_(problem), view_(view) {
    for (std::size_t i = 0; i < p_.mesh.axes.size(); ++i) {
      const AxisId axis{static_cast<std::int32_t>(i)};
      const bool used =
          p_.mesh.axes.size() <= kAllAxes || splits(p_.from, axis) || splits(p_.to, axis);
      if (used && p_.mesh.size(axis) > 1 && !contains(p_.from.partial, axis)) axes_.push_back(axis);
    }
    whole_ = static_cast<double>(elements(p_.table, p_.dims));
  }

  /// The way from end to end: the cheapest, or if the search gave up the cheapest so far; nothing
  /// if it found none.
  std::optional<std::vector<SearchState>> run() {
    const SearchState goal{view_ != nullptr, p_.to.split};
    reach({false, p_.from.split}, {}, nullptr);
    while (!queue_.empty() && tried_ < kMostTried) {
      const auto [cost, order, node] = queue_.top();
      queue_.pop();
      Reached& here = reached_.at(*node);
      if (here.settled) continue;
      here.settled = true;
      if (*node == goal) break;
      leave(*node, cost);
    }
    const auto end = reached_.find(goal);
    if (end == reached_.end()) return std::nullopt;
    return way_to(&end->first);
  }

 private:
  struct Reached {
    Cost cost;
    const SearchState* from = nullptr;
    bool settled = false;
  };
  struct Waiting {
    Cost cost;
    int order = 0;  // of equal ones the earliest, so that programs do not depend on addresses
    const SearchState* node = nullptr;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return std::tie(b.cost, b.order) < std::tie(a.cost, a.order);
    }
  };

  static bool splits(const Sharding& sharding, AxisId axis) {
    return std::any_of(sharding.split.begin(), sharding.split.end(),
                       [&](const Axes& axes) { return contains(axes, axis); });
  }

  void reach(SearchState node, const Cost& cost, const SearchState* from) {
    ++tried_;
    const auto [at, fresh] = reached_.try_emplace(std::move(node));
    if (!fresh && at->second.cost <= cost) return;
    at->second = {cost, from, false};
    queue_.push({cost, tried_, &at->first});
  }

  std::vector<SearchState> way_to(const SearchState* node) const {
    std::vector<SearchState> way;
    for (; node; node = reached_.at(*node).from) way.push_back(*node);
    std::reverse(way.begin(), way.end());
    return way;
  }

  void leave(const SearchState& here, const Cost& cost) {
    const DimList& dims = here.viewed ? view_->dims : p_.dims;
    double shard = whole_;
    Axes unused = axes_;
    for (const Axes& axes : here.split)
      for (AxisId axis : axes) {
        shard /= size(axis);
        std::erase(unused, axis);
      }
    const auto go = [&](Split split, double sent) {
      const int message = sent > 0 ? 1 : 0;
      reach({here.viewed, std::move(split)},
            cost + Cost{sent, message, 1, here.viewed ? message : 0}, &here);
    };
    const auto divides = [&](std::size_t d, AxisId axis) {
      const std::int64_t shards = p_.mesh.size(axis) * p_.mesh.size(here.split[d]);
      return p_.table.size(dims[d]) % shards == 0;
    };
    if (view_ && !here.viewed) look(here, cost);
    for (std::size_t d = 0; d < dims.size(); ++d)
      for (AxisId axis : unused)
        if (divides(d, axis)) go(with(here.split, d, axis), 0);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (here.split[d].empty()) continue;
      const AxisId axis = here.split[d].back();
      Split given = here.split;
      given[d].pop_back();
      for (std::size_t e = 0; e < dims.size(); ++e)
        if (e != d && divides(e, axis))
          go(with(given, e, axis), shard * (size(axis) - 1) / size(axis));
      go(std::move(given), shard * (size(axis) - 1));
    }
    // Straight to the goal first: permutations may be too many.
    if (here.viewed == (view_ != nullptr) && cuts_as_finely(here.split, p_.to.split))
      go(p_.to.split, shard);
    for (Split& split : permutations(p_.mesh, axes_, here.split, kMostTried - tried_))
      go(std::move(split), shard);
  }

  bool cuts_as_finely(const Split& a, const Split& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Axes& x, const Axes& y) {
      return p_.mesh.size(x) == p_.mesh.size(y);
    });
  }

  /// Through the view, where it works on these shards.
  void look(const SearchState& here, const Cost& cost) {
    const Sharding sharding{here.split, {}, {}};
    LocalView local = local_view(p_.mesh, p_.table, view_->groups, p_.dims, view_->dims, sharding);
    if (local.operand.split == here.split)
      reach({true, std::move(local.result.split)}, cost, &here);
  }

  static Split with(Split split, std::size_t d, AxisId axis) {
    split[d].push_back(axis);
    return split;
  }
  double size(AxisId axis) const { return static_cast<double>(p_.mesh.size(axis)); }

  const Reshard& p_;
  const View* view_;
  Axes axes_;
  double whole_ = 0;
  int tried_ = 0;
  std::map<SearchState, Reached> reached_;
  std::priority_queue<Waiting> queue_;
};

/// The instruction between neighbours on a way.
ReshardStep step_between(const DimList& dims, const Split& from, const Split& to) {
  std::vector<std::size_t> less, more, other;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (from[d] == to[d]) continue;
    const auto extends = [](const Axes& longer, const Axes& shorter) {
      return longer.size() == shorter.size() + 1 &&
             std::equal(shorter.begin(), shorter.end(), longer.begin());
    };
    (extends(from[d], to[d]) ? less : extends(to[d], from[d]) ? more : other).push_back(d);
  }
  if (other.empty() && less.size() == 1 && more.empty())
    return AllGather{{dims[less[0]]}, from[less[0]].back()};
  if (other.empty() && less.empty() && more.size() == 1)
    return Shard{dims[more[0]], to[more[0]].back()};
  if (other.empty() && less.size() == 1 && more.size() == 1 &&
      from[less[0]].back() == to[more[0]].back())
    return AllToAll{dims[less[0]], dims[more[0]], from[less[0]].back()};
  Permute permute;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (from[d] == to[d]) continue;
    const auto [a, b] = std::mismatch(from[d].begin(), from[d].end(), to[d].begin(), to[d].end());
    permute.changes.push_back({dims[d], Axes(a, from[d].end()), Axes(b, to[d].end())});
  }
  return permute;
}

/// Where the search found nothing: what differs is gathered from its minor end, what is wanted is
/// cut.
std::vector<ReshardStep> gather_and_cut(const DimList& dims, const Split& from, const Split& to) {
  std::vector<ReshardStep> steps, cuts;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto [a, b] = std::mismatch(from[d].begin(), from[d].end(), to[d].begin(), to[d].end());
    for (auto axis = from[d].end(); axis != a;) steps.push_back(AllGather{{dims[d]}, *--axis});
    for (auto axis = b; axis != to[d].end(); ++axis) cuts.push_back(Shard{dims[d], *axis});
  }
  steps.insert(steps.end(), cuts.begin(), cuts.end());
  return steps;
}

}  // namespace

Sharding after(const DimList& dims, Sharding sharding, const ReshardStep& step) {
  return std::visit([&](const auto& move) { return move.after(dims, std::move(sharding)); }, step);
}

std::vector<ReshardStep> reshard(const Reshard& problem) {
  if (problem.from.split == problem.to.split) return {};
  const auto way = Search(problem, nullptr).run();
  if (!way) return gather_and_cut(problem.dims, problem.from.split, problem.to.split);
  std::vector<ReshardStep> steps;
  for (std::size_t i = 1; i < way->size(); ++i)
    steps.push_back(step_between(problem.dims, (*way)[i - 1].split, (*way)[i].split));
  return steps;
}

ViewMoves reshard_view(const Reshard& problem, const std::vector<DimGroup>& groups,
                       const DimList& to_dims) {
  const View view{groups, to_dims};
  ViewMoves moves;
  const auto around = [&](const Split& operand, const Split& result) {
    moves.operand = moves.result = problem.from;
    moves.operand.split = operand;
    moves.result.split = result;
  };
  const LocalView local =
      local_view(problem.mesh, problem.table, groups, problem.dims, to_dims, problem.from);
  around(local.operand.split, local.result.split);
  if (local.operand.split == problem.from.split && local.result.split == problem.to.split)
    return moves;
  const auto way = Search(problem, &view).run();
  if (!way) {
    moves.before = gather_and_cut(problem.dims, problem.from.split, local.operand.split);
    moves.after = gather_and_cut(to_dims, local.result.split, problem.to.split);
    return moves;
  }
  for (std::size_t i = 1; i < way->size(); ++i) {
    const SearchState &a = (*way)[i - 1], &b = (*way)[i];
    if (a.viewed != b.viewed)
      around(a.split, b.split);
    else if (b.viewed)
      moves.after.push_back(step_between(to_dims, a.split, b.split));
    else
      moves.before.push_back(step_between(problem.dims, a.split, b.split));
  }
  return moves;
}

}  // namespace mtfc::lowering
