// Labels that no solution needs.
#pragma once
#include "solve/profile.h"

namespace mtfc::solve {

/// Removes a label where another one of its node uses no more at any moment and, whatever the
/// neighbours' labels, costs no more: some best solution is left. Returns how many went.
std::size_t drop_dominated(Network& network, const Profiles& profiles);

}  // namespace mtfc::solve
