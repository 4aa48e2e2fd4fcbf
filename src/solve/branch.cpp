#include "solve/branch.h"

#include <algorithm>
#include <numeric>

#include "solve/dual.h"
#include "solve/reductions.h"
#include "solve/restrict.h"
#include "solve/settle.h"

namespace mtfc::solve {
namespace {

constexpr double largest_table = 1e6;  // of a table, to find minima by elimination
constexpr double most_bytes = 1.5e9;   // of cases within cases
constexpr int most_steps = 400;        // of the dual, for one case
constexpr int patience = 40;           // steps without a better bound

class Branching {
 public:
  explicit Branching(const BranchJob& job) : job_(job) {}

  double explore(Network network, std::vector<double> price, double bound) {
    for (;;) {
      reduce(network, job_.problem, job_.moments);
      if (!network.possible) return never;
      const Core core = core_of(network, job_.problem, job_.moments);
      if (!core.possible) return never;
      if (core.size() == 0) {
        offer(core, network, {});
        return never;
      }
      Dual dual(core, price_in(core, price));
      std::vector<double> label_bounds = ascend(dual, core, network);
      if (beats_nothing(dual.bound())) return never;
      bound = std::max(bound, dual.bound());
      const Order order = order_of(core);
      if (order.largest <= largest_table && order.total <= 10 * largest_table) {
        ascend_exactly(dual, order, core, network);
        bound = std::max(bound, dual.bound());
        if (beats_nothing(bound)) return never;
      }
      if (job_.clock.is_up()) return bound;
      price = price_of(core, dual.price(), job_.moments.count);
      const auto hopeless = [&](std::size_t k) { return beats_nothing(label_bounds[k]); };
      std::size_t count = 0;
      for (std::size_t k = 0; k < label_bounds.size(); ++k) count += hopeless(k) ? 1 : 0;
      if (count * 20 >= label_bounds.size()) {
        drop_labels(core, network, hopeless);
        if (!network.possible) return never;
        continue;
      }
      return split(core, network, price, label_bounds, bound);
    }
  }

 private:
  bool beats_nothing(double bound) const {
    return bound > static_cast<double>(job_.incumbent.cost()) - 1;
  }

  void offer(const Core& core, const Network& network, const Labels& labels) {
    if (job_.incumbent.may_gain(core.constant + cost_of(core, labels)) && fits(core, labels))
      job_.incumbent.offer(
          strategies_of(network, job_.problem, network_labels(core, network, labels)));
  }

  /// The best of the bounds on labels on the way.
  std::vector<double> ascend(Dual& dual, const Core& core, const Network& network) {
    std::vector<double> bounds = dual.label_bounds();
    double best = dual.bound();
    for (int step = 0, since = 0; step < most_steps && since < patience; ++step, ++since) {
      if (beats_nothing(dual.bound()) || job_.clock.is_up()) break;
      dual.step();
      if (step % 5 == 0) offer(core, network, dual.labels());
      if (dual.last() > best) {
        if (dual.last() >
            best + 1e-4 * std::max(0.0, static_cast<double>(job_.incumbent.cost()) - best))
          since = 0;
        best = dual.last();
      }
      if (step % 10 == 9) {
        const std::vector<double> now = dual.label_bounds();
        for (std::size_t k = 0; k < now.size(); ++k) bounds[k] = std::max(bounds[k], now[k]);
      }
      if (since > patience / 2) dual.pace *= 0.97;
    }
    return bounds;
  }

  void ascend_exactly(Dual& dual, const Order& order, const Core& core, const Network& network) {
    dual.use_elimination(order);
    dual.pace = 0.5;
    double best = dual.bound();
    const int least = order.total > 1e6 ? 30 : 150;
    for (int step = 0, since = 0; step < 10 * least && since < least; ++step, ++since) {
      offer(core, network, dual.labels());
      if (beats_nothing(dual.bound()) || job_.clock.is_up()) return;
      dual.step();
      const double gap = std::max(1.0, static_cast<double>(job_.incumbent.cost()) - dual.bound());
      if (dual.bound() > best + 0.01 * gap) since = 0, best = dual.bound();
      if (since % 10 == 9) dual.pace *= 0.7;
    }
  }

  /// One case for each label of the node that tells most.
  double split(const Core& core, const Network& network, const std::vector<double>& price,
               const std::vector<double>& label_bounds, double bound) {
    const std::size_t chosen = most_telling(core, label_bounds, bound);
    const std::size_t node = core.node[chosen], count = network.nodes[node].labels();
    const double* bounds = &label_bounds[core.offset[chosen]];
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return bounds[x] < bounds[y]; });
    // What every case on the way down keeps: its network, its core and its messages.
    const double bytes = 64.0 * static_cast<double>(job_.problem.nodes.size()) +
                         48.0 * static_cast<double>(core.costs_ab.size());
    if (bytes_ + bytes > most_bytes) return bound;
    bytes_ += bytes;
    double open = never;
    for (const std::size_t label : order) {
      if (beats_nothing(bounds[label])) continue;
      if (job_.clock.is_up()) {
        open = std::min(open, bound);
        break;
      }
      Network part = network;
      keep_labels(part, node, {label});
      open = std::min(open, explore(std::move(part), price, std::max(bound, bounds[label])));
    }
    bytes_ -= bytes;
    return open;
  }

  /// Few labels, and a choice among them that matters.
  std::size_t most_telling(const Core& core, const std::vector<double>& label_bounds,
                           double bound) const {
    const double gap = std::max(1.0, static_cast<double>(job_.incumbent.cost()) - bound);
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < core.size(); ++i) {
      double score = 0;
      for (std::size_t k = core.offset[i]; k < core.offset[i + 1]; ++k)
        score += std::min(1.0, std::max(0.0, label_bounds[k] - bound) / gap);
      score = (score + 1e-6 * static_cast<double>(core.links_of(i).size())) /
              static_cast<double>(core.labels[i] * core.labels[i]);
      if (score > most) most = score, best = i;
    }
    return best;
  }

  const BranchJob& job_;
  double bytes_ = 0;  // of the cases that are open
};

}  // namespace

double branch(Network network, std::vector<double> price, const BranchJob& job) {
  return Branching(job).explore(std::move(network), std::move(price), -never);
}

}  // namespace mtfc::solve
