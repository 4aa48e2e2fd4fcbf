#include "solve/reductions.h"

#include "solve/dominate.h"
#include "solve/settle.h"

namespace mtfc::solve {

void reduce(Network& network, const Problem& problem, const Moments& moments) {
  for (;;) {
    settle(network);
    if (!network.possible) return;
    if (drop_dominated(network, profiles_of(network, problem, moments)) == 0) return;
  }
}

}  // namespace mtfc::solve
