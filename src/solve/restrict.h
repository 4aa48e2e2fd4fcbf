// Going from one core of a problem to the next, smaller one.
#pragma once
#include <functional>

#include "solve/core.h"

namespace mtfc::solve {

/// Prices by moment of the core, from prices by moment of the problem (empty: none), and back.
std::vector<double> price_in(const Core& core, const std::vector<double>& price);
std::vector<double> price_of(const Core& core, const std::vector<double>& price,
                             std::size_t moments);

/// Drops the labels for which `drop` (by place in the core's flat arrays) holds from the network
/// that the core was made of. Returns how many.
std::size_t drop_labels(const Core& core, Network& network,
                        const std::function<bool(std::size_t)>& drop);

/// The labels of the core's nodes that give these strategies. Where none does, the one that gives
/// the most of its node's.
Labels labels_of(const Core& core, const Network& network, const std::vector<int>& strategies);

}  // namespace mtfc::solve
