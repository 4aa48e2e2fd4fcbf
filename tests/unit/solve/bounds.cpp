// What the solver's parts promise, against every choice of small problems: bounds are bounds,
// minima are minima, and reductions keep them.
#include <catch2/catch.hpp>

#include "solve/dual.h"
#include "solve/neighbourhoods.h"
#include "solve/reductions.h"
#include "solve/restrict.h"
#include "unit/solve/problems.h"

namespace solve_bounds_test {

using namespace mtfc::solve;
using namespace mtfc::solve::test;

/// Small problems that have a solution, with their core.
template <class Check>
void with_problems(const Shape& shape, Check check) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 60; ++k) {
    const Problem problem = random_problem(random, shape);
    const std::optional<Cost> best = cheapest(problem);
    const Moments moments = moments_of(problem);
    Network network = network_of(problem);
    reduce(network, problem, moments);
    const Core core = core_of(network, problem, moments);
    CAPTURE(k);
    if (!best || !core.possible) {
      CHECK((!best || core.possible));
      continue;
    }
    check(problem, network, core, static_cast<double>(*best));
  }
}

/// The cheapest choice in which a node of the core has this label.
double cheapest_with(const Problem& problem, const Network& network, const Core& core,
                     std::size_t node, std::size_t label) {
  Problem part = problem;
  for (const Member& member : network.nodes[core.node[node]].members)
    for (std::size_t s = 0; s < part.nodes[member.node].costs.size(); ++s)
      if (s != member.strategy[label]) part.nodes[member.node].costs[s] = infinite;
  const std::optional<Cost> best = cheapest(part);
  return best ? static_cast<double>(*best) : never;
}

TEST_CASE("prices and messages bound every choice from below, label by label", "[solve]") {
  with_problems({6, 3, 9, 5, 0.3},
                [](const Problem& problem, const Network& network, const Core& core, double best) {
                  Dual dual(core);
                  for (int step = 0; step < 40; ++step) {
                    REQUIRE(dual.last() <= best);
                    const std::vector<double> bounds = dual.label_bounds();
                    if (step % 13 == 0)
                      for (std::size_t i = 0; i < core.size(); ++i)
                        for (std::size_t s = 0; s < core.labels[i]; ++s)
                          REQUIRE(bounds[core.offset[i] + s] <=
                                  cheapest_with(problem, network, core, i, s) + 1e-6);
                    dual.step();
                  }
                  CHECK(dual.bound() <= best);
                });
}

TEST_CASE("elimination finds the least cost, whatever the order", "[solve]") {
  with_problems({7, 3, 11, 5, 2},
                [](const Problem&, const Network& network, const Core& core, double best) {
                  Order order = order_of(core);
                  REQUIRE(order.nodes.size() == core.size());
                  Labels labels(core.size(), 0);
                  Eliminator eliminator(core, 0);
                  for (int k = 0; k < 2; ++k) {
                    const double least = eliminator.minimum(order.nodes, core.costs, labels);
                    CHECK(core.constant + least == Approx(best));
                    CHECK(core.constant + cost_of(core, labels) == Approx(best));
                    std::reverse(order.nodes.begin(), order.nodes.end());
                  }
                  static_cast<void>(network);
                });
}

TEST_CASE("where tables are small nodes keep their labels, and nothing gets worse", "[solve]") {
  std::mt19937_64 random(5);
  with_problems({8, 3, 16, 0, 2},
                [&](const Problem&, const Network&, const Core& core, double best) {
                  std::vector<std::uint32_t> nodes;
                  for (std::uint32_t i = 0; i < core.size(); ++i) nodes.push_back(i);
                  Labels labels(core.size(), 0);
                  const double before = cost_of(core, labels);
                  Eliminator eliminator(core, 9);
                  eliminator.run(nodes, core.costs, labels, random);
                  const double after = cost_of(core, labels);
                  CHECK(after <= before);
                  CHECK(core.constant + after >= best - 1e-9);
                });
}

TEST_CASE("what a core counts is what the problem counts", "[solve]") {
  std::mt19937_64 random(2);
  with_problems({7, 3, 8, 10, 0.6}, [&](const Problem& problem, const Network& network,
                                        const Core& core, double) {
    Labels labels;
    for (std::size_t i = 0; i < core.size(); ++i)
      labels.push_back(static_cast<int>(random() % core.labels[i]));
    const Judgement judgement =
        judge(problem, strategies_of(network, problem, network_labels(core, network, labels)));
    if (judgement.possible)
      CHECK(core.constant + cost_of(core, labels) == static_cast<double>(judgement.cost));
    bool fits = true;
    const std::vector<double> usage = usage_of(core, labels);
    for (std::size_t t = 0; t < usage.size(); ++t) fits = fits && usage[t] <= core.slack[t];
    CHECK(fits == (judgement.peak <= *problem.limit));
  });
}

TEST_CASE("a search stays within the limit once it is there, and never gets dearer", "[solve]") {
  with_problems({8, 4, 10, 0, 0.4},
                [](const Problem&, const Network&, const Core& core, double best) {
                  if (core.size() == 0) return;
                  Search search(core, Labels(core.size(), 0), 1);
                  double cost = never;
                  bool fitted = false;
                  for (int step = 0; step < 60; ++step) {
                    search.step();
                    REQUIRE((search.fits() || !fitted));
                    if (search.fits() && fitted) REQUIRE(search.cost() <= cost + 1e-9);
                    if (search.fits()) fitted = true, cost = search.cost();
                  }
                  if (fitted) {
                    CHECK(cost >= best - 1e-9);
                    CHECK(core.constant + cost_of(core, search.labels()) == Approx(cost));
                  }
                });
}

}  // namespace solve_bounds_test
