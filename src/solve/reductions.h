// All exact reductions of a network, until none helps.
#pragma once
#include "solve/core.h"

namespace mtfc::solve {

/// Some best solution of the network is left; `possible` is false if it has none for sure.
void reduce(Network& network, const Problem& problem, const Moments& moments);

}  // namespace mtfc::solve
