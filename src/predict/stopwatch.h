// How long something takes on all ranks.
#pragma once
#include <functional>

#include "comm/network.h"

namespace mtfc::predict {

/// Seconds of one run on the slowest rank: of nine samples of `sample` seconds the second fastest,
/// since others may use the machine, too. All ranks begin together.
double seconds_of(runtime::net::Network& network, const std::function<void()>& run,
                  double sample = 0.005);

}  // namespace mtfc::predict
