// Proof by cases: a node takes one label after the other, and what cannot beat the incumbent is
// left out by its bound.
#pragma once
#include "solve/clock.h"
#include "solve/core.h"
#include "solve/incumbent.h"

namespace mtfc::solve {

struct BranchJob {
  const Problem& problem;
  const Moments& moments;
  const Clock& clock;
  Incumbent& incumbent;
};

/// Looks through a network, offering what it finds. No choice that is left out costs less than what
/// is returned, nor than the incumbent: `never` if time and memory sufficed. `price` is by moment
/// of the problem, to begin with.
double branch(Network network, std::vector<double> price, const BranchJob& job);

}  // namespace mtfc::solve
