// The solver against every choice of small problems.
#include "solve/solve.h"

#include <catch2/catch.hpp>

#include "unit/solve/problems.h"

namespace solve_test {

using namespace mtfc::solve;
using namespace mtfc::solve::test;

void check_against_every_choice(const Problem& problem) {
  const std::optional<Cost> best = cheapest(problem);
  const Solution solution = solve(problem, {20});
  if (!best) {
    CHECK(solution.outcome == Outcome::infeasible);
    CHECK(!solution.cost);
    CHECK(solution.strategies.empty());
    return;
  }
  REQUIRE(solution.outcome == Outcome::optimal);
  CHECK(solution.cost == best);
  CHECK(solution.bound == best);
  const Judgement judgement = judge(problem, solution.strategies);
  CHECK(judgement.cost == *best);
  CHECK(judgement.is_feasible(problem));
}

TEST_CASE("the contest's example costs 445, and 415 without its limit", "[solve]") {
  Problem problem = example();
  const Solution within = solve(problem, {20});
  CHECK(within.outcome == Outcome::optimal);
  CHECK(within.cost == 445);
  CHECK(within.strategies == std::vector<int>{0, 0, 2, 1, 0});
  problem.limit.reset();
  CHECK(solve(problem, {20}).cost == 415);
}

TEST_CASE("random problems cost what the best of all choices costs", "[solve]") {
  std::mt19937_64 random(7);
  const std::vector<Shape> shapes = {{6, 3, 8, 15, 0.5},  {6, 3, 8, 0, 0.3}, {7, 3, 12, 5, 2},
                                     {8, 3, 4, 0, 0.2},   {5, 4, 10, 30, 1}, {1, 4, 0, 0, 0.5},
                                     {7, 3, 14, 0, 0.15}, {2, 5, 3, 20, 0.4}};
  for (const Shape& shape : shapes)
    for (int round = 0; round < 40; ++round) {
      Shape one = shape;
      if (one.nodes < 2) one.edges = 0;
      const Problem problem = random_problem(random, one);
      CAPTURE(shape.nodes, shape.strategies, shape.tightness, round);
      check_against_every_choice(problem);
    }
}

TEST_CASE("a problem that no choice fits is proved to have none", "[solve]") {
  Problem problem = example();
  problem.limit = 49;
  CHECK(solve(problem, {20}).outcome == Outcome::infeasible);
  problem.limit = 50;
  problem.edges[4].costs = {infinite, infinite};
  CHECK(solve(problem, {20}).outcome == Outcome::infeasible);
}

TEST_CASE("a usage counts from the first time of an interval, up to the last", "[solve]") {
  // The second begins when the first ends; the third never lives and may use what it likes.
  Problem problem{
      "", {{0, 5, {3, 1}, {1, 9}}, {5, 9, {3, 1}, {1, 9}}, {3, 3, {4, 2}, {0, 1000}}}, {}, 9};
  CHECK(solve(problem, {20}).cost == 4);
  problem.nodes[0].to = 6;  // now both live at 5
  CHECK(solve(problem, {20}).cost == 8);
  problem.limit = 10;
  CHECK(solve(problem, {20}).cost == 6);
}

TEST_CASE("costs near the largest that may be given add up exactly", "[solve]") {
  const Cost large = infinite - 1;
  const Problem problem{
      "", {{0, 1, {large, 3}, {0, 9}}, {0, 1, {large, 7}, {0, 9}}}, {{0, 1, {1, 2, 3, 4}}}, 4};
  CHECK(solve(problem, {20}).cost == 2 * large + 1);
}

TEST_CASE("without time there is no answer, and no claim", "[solve]") {
  std::mt19937_64 random(3);
  const Problem problem = random_problem(random, {40, 6, 120, 0, 0.3});
  const Solution solution = solve(problem, {0});
  CHECK((solution.outcome == Outcome::unknown || solution.outcome == Outcome::feasible));
  if (solution.cost) CHECK(*solution.bound <= *solution.cost);
}

}  // namespace solve_test
