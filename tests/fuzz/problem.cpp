// A problem of `plan --problem`: it is refused, or its sums are exact; the choice that is found for
// a small one is the best of all.
#include <algorithm>

#include "fuzz/target.h"
#include "solve/read_problem.h"
#include "solve/solve.h"
#include "unit/solve/problems.h"

namespace mtfc::fuzz {

namespace {

using solve::Problem;

__extension__ using Wide = __int128;

/// With the largest amount below `never`, whatever its sign.
Wide sum(Wide before, const std::vector<std::int64_t>& amounts, Wide never) {
  Wide most = 0;
  for (const Wide amount : amounts)
    if (amount < never) most = std::max({most, amount, -amount});
  return before + most;
}

void check_sums(const Problem& problem) {
  Wide costs = 0, usages = 0;
  for (const solve::ProblemNode& node : problem.nodes) {
    costs = sum(costs, node.costs, solve::infinite);
    usages = sum(usages, node.usages, Wide(1) << 64);
  }
  for (const solve::ProblemEdge& edge : problem.edges)
    costs = sum(costs, edge.costs, solve::infinite);
  require(costs <= solve::most_cost && usages <= solve::most_usage, "sums that are not exact");
}

/// Few enough choices to try all of them.
bool is_small(const Problem& problem) {
  std::size_t choices = 1;
  for (const solve::ProblemNode& node : problem.nodes)
    if ((choices *= node.costs.size()) > 200) return false;
  return problem.nodes.size() <= 12 && problem.edges.size() <= 20;
}

void check_solution(const Problem& problem) {
  const solve::Solution found = solve::solve(problem, {1});
  const std::optional<solve::Cost> best = solve::test::cheapest(problem);
  require(found.outcome != solve::Outcome::infeasible || !best, "a choice is overlooked");
  require(!found.bound || !best || *found.bound <= *best, "a bound above the best choice");
  if (!found.cost) return;
  const solve::Judgement judgement = judge(problem, found.strategies);
  require(judgement.is_feasible(problem), "a choice that is not possible");
  require(judgement.cost == *found.cost, "a choice has another cost");
  require(found.outcome != solve::Outcome::optimal || best == found.cost,
          "another choice is better");
}

}  // namespace

void problem(std::string_view input) {
  const runtime::Result<Problem> read = solve::read_problem(input);
  if (!read) return require(!read.error().message.empty(), "refused without a reason");
  check_sums(*read);
  if (is_small(*read)) check_solution(*read);
}

}  // namespace mtfc::fuzz
