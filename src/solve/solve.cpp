#include "solve/solve.h"

#include <cmath>
#include <thread>

#include "solve/branch.h"
#include "solve/dual.h"
#include "solve/neighbourhoods.h"
#include "solve/reductions.h"
#include "solve/restrict.h"

namespace mtfc::solve {
namespace {

constexpr std::size_t most_for_cases = 300'000;  // entries of edges: what is copied for a case
constexpr int steps_for_cases = 300;             // without a better bound, before cases are made
constexpr double most_above = 0.005;             // the best choice: a search goes on from there
constexpr int steps_between = 50;                // messages from one thread to the other

/// Prices by moment of the problem, from the thread that finds them to the one that searches.
class Prices {
 public:
  void publish(std::vector<double> price) {
    const std::lock_guard lock(mutex_);
    price_ = std::move(price);
    ++version_;
  }
  /// False: they are not new.
  bool receive(std::size_t& version, std::vector<double>& price) const {
    const std::lock_guard lock(mutex_);
    if (version_ == version) return false;
    version = version_;
    price = price_;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t version_ = 0;
  std::vector<double> price_;
};

class Solver {
 public:
  Solver(const Problem& problem, const Limits& limits)
      : problem_(problem), clock_(limits.seconds), incumbent_(problem) {}

  Solution run() {
    moments_ = moments_of(problem_);
    Network network = network_of(problem_);
    reduce(network, problem_, moments_);
    const Core core = core_of(network, problem_, moments_);
    std::atomic<bool> stop = false;
    std::thread searcher;
    if (core.possible && core.size() > 0)
      searcher = std::thread([&, network] { search(core, network, stop); });
    prove(std::move(network));
    stop = true;
    if (searcher.joinable()) searcher.join();
    return answer();
  }

 private:
  // ---------------------------------------------------------------- bounds
  /// Better and better bounds, until they meet the incumbent or time is up.
  void prove(Network network) {
    std::vector<double> price;  // by moment of the problem
    for (;;) {
      reduce(network, problem_, moments_);
      const Core core = core_of(network, problem_, moments_);
      if (!core.possible) return close();
      if (core.size() == 0) {
        offer(core, network, {});
        return close();
      }
      const bool dropped = ascend(core, network, price);
      if (closed_ || clock_.is_up()) return;
      if (!dropped) break;
    }
    const BranchJob job{problem_, moments_, clock_, incumbent_};
    bound_ = std::max(bound_, branch(std::move(network), std::move(price), job));
    // Too deep for the memory: the search goes on.
    while (!proved(bound_) && !clock_.is_up())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (proved(bound_)) close();
  }

  /// True: labels were dropped that no cheaper choice has. False: closed, or cases are next, or
  /// time is up.
  bool ascend(const Core& core, Network& network, std::vector<double>& price) {
    Dual dual(core, price_in(core, price));
    std::vector<double> bounds(core.costs.size(), -never);
    const bool is_small = core.costs_ab.size() <= most_for_cases;
    double best = -never;
    bound_ = std::max(bound_, dual.bound());
    offer(core, network, dual.labels());
    for (int step = 0, since = 0; !clock_.is_up(); ++step, ++since) {
      dual.step();
      bound_ = std::max(bound_, dual.bound());
      if (proved(bound_)) {
        close();
        return false;
      }
      if (dual.bound() > best + 1e-5 * std::fabs(best)) best = dual.bound(), since = 0;
      if (since % 100 == 99) dual.pace = dual.pace < 0.01 ? 0.5 : dual.pace * 0.7;
      offer(core, network, dual.labels());
      if (step % steps_between == 0) {
        price = price_of(core, dual.price(), moments_.count);
        prices_.publish(price);
      }
      if (step % steps_between == 25 && dropped_some(dual, core, network, bounds)) return true;
      if (is_small && since > steps_for_cases) return false;
    }
    return false;
  }

  /// Of labels whose bounds the incumbent does not exceed, once they are worth a new core.
  bool dropped_some(const Dual& dual, const Core& core, Network& network,
                    std::vector<double>& bounds) {
    if (!incumbent_.found()) return false;
    const std::vector<double> now = dual.label_bounds();
    std::size_t count = 0;
    for (std::size_t k = 0; k < now.size(); ++k) {
      bounds[k] = std::max(bounds[k], now[k]);
      if (proved(bounds[k])) ++count;
    }
    if (count * 10 < bounds.size()) return false;
    drop_labels(core, network, [&](std::size_t k) { return proved(bounds[k]); });
    return true;
  }

  void close() { closed_ = true; }
  bool proved(double bound) const { return bound > static_cast<double>(incumbent_.cost()) - 1; }

  // ---------------------------------------------------------------- choices
  void search(const Core& core, const Network& network, const std::atomic<bool>& stop) {
    std::size_t version = 0;
    std::vector<double> price;
    while (!stop && !prices_.receive(version, price))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (stop) return;
    Dual start(core, price_in(core, price));
    Search search(core, start.labels(), 1);
    search.set_price(price_in(core, price));
    const int patience = 150 + static_cast<int>(core.size()) / 4;
    Labels best;
    double least = never, offered = never;
    for (int step = 0, since = 0; !stop; ++step, ++since) {
      search.step();
      if (search.fits() && search.cost() < least) {
        least = search.cost();
        best = search.labels();
        since = 0;
      } else if (since > patience && least < never) {
        since = 0;
        if (!search.fits() || search.cost() > least + std::fabs(least) * most_above)
          search.move_to(best);
        search.shake();
      }
      if (step % steps_between == 0 && least < offered) {
        offered = least;
        offer(core, network, best);
      }
      if (step % steps_between == 0 && incumbent_.found() &&
          static_cast<double>(incumbent_.cost()) < least - 0.5)
        search.move_to(labels_of(core, network, incumbent_.strategies()));
      if (prices_.receive(version, price)) search.set_price(price_in(core, price));
    }
    if (least < offered) offer(core, network, best);
  }

  void offer(const Core& core, const Network& network, const Labels& labels) {
    if (incumbent_.may_gain(core.constant + cost_of(core, labels)) && fits(core, labels))
      incumbent_.offer(strategies_of(network, problem_, network_labels(core, network, labels)));
  }

  Solution answer() const {
    Solution solution;
    if (incumbent_.found()) {
      solution.cost = incumbent_.cost();
      solution.strategies = incumbent_.strategies();
      solution.outcome = Outcome::feasible;
    }
    if (closed_) {
      solution.outcome = incumbent_.found() ? Outcome::optimal : Outcome::infeasible;
      solution.bound = solution.cost;
    } else if (bound_ > -4e18) {
      solution.bound = static_cast<Cost>(std::ceil(std::min(bound_, 4e18)));
      if (solution.cost) solution.bound = std::min(*solution.bound, *solution.cost);
    }
    return solution;
  }

  const Problem& problem_;
  const Clock clock_;
  Incumbent incumbent_;
  Prices prices_;
  Moments moments_;
  double bound_ = -never;
  bool closed_ = false;  // there is nothing cheaper than the incumbent
};

}  // namespace

Solution solve(const Problem& problem, const Limits& limits) {
  return Solver(problem, limits).run();
}

}  // namespace mtfc::solve
