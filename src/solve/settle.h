// Exact reductions of a network that look at costs alone.
#pragma once
#include "solve/label_network.h"

namespace mtfc::solve {

/// Removes labels that no label of some neighbour goes with, adds up parallel edges, splits up
/// edges whose costs are sums of one for each end, and merges a node into a neighbour whose label
/// fixes its own. What is left has the same solutions, at the same costs.
void settle(Network& network);

/// Keeps only these labels of a node, in this order.
void keep_labels(Network& network, std::size_t node, const std::vector<std::size_t>& labels);

}  // namespace mtfc::solve
