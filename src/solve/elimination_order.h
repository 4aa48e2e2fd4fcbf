// In which order to eliminate all nodes of a core, and what that takes.
#pragma once
#include "solve/core.h"

namespace mtfc::solve {

struct Order {
  std::vector<std::uint32_t> nodes;
  double largest = 0;  // entries of a table, its node's labels included
  double total = 0;    // entries of all tables
};

/// Next is always the node whose elimination joins the fewest neighbours, weighted by their labels
/// (weighted min-fill: H. L. Bodlaender, A. M. C. A. Koster, "Treewidth computations I", 2010).
Order order_of(const Core& core);

}  // namespace mtfc::solve
