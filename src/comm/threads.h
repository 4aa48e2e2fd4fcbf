// A network between threads of one process: every rank is a thread, and bytes are copied from the
// memory of one to that of another.
#pragma once
#include <functional>

#include "comm/network.h"

namespace mtfc::runtime::net {

/// Runs body once for each rank, on a thread of its own, and returns when all have: the highest
/// of the statuses that they return. A rank that waits for others sleeps, so that there may be more
/// ranks than processors. What `body` shares between ranks it must guard itself.
/// std::system_error if the system does not give so many threads; then none has run it.
int run_on_threads(int ranks, const std::function<int(Network& network)>& body);

}  // namespace mtfc::runtime::net
