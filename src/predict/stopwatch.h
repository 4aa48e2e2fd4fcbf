// How long something takes on all ranks.
#pragma once
#include <functional>

#include "comm/network.h"

namespace mtfc::predict {

/// Seconds of one run on the slowest rank: of several samples of `sample` seconds the middle one,
/// since others may use the machine, too. All ranks begin together.
double seconds_of(runtime::net::Network& network, const std::function<void()>& run,
                  double sample = 0.02);

}  // namespace mtfc::predict
