// The cheapest choice of strategies for a problem within its limit, with a proof or a bound.
#pragma once
#include "solve/problem.h"

namespace mtfc::solve {

enum class Outcome {
  optimal,     // no choice costs less than this one
  feasible,    // a choice that is possible; cheaper ones are not ruled out
  infeasible,  // no choice is possible: proved
  unknown,     // time was up
};

struct Solution {
  Outcome outcome = Outcome::unknown;
  std::optional<Cost> cost;     // of `strategies`, recomputed from the problem
  std::optional<Cost> bound;    // no choice costs less
  std::vector<int> strategies;  // by node; empty if none was found
};

struct Limits {
  double seconds = 60;  // from the call on
};

Solution solve(const Problem& problem, const Limits& limits);

}  // namespace mtfc::solve
