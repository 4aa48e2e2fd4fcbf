// Collectives between real processors. The network moves data and never adds: what is summed here
// has the bits that the simulated mesh gives (runtime/exchange.h).
#pragma once
#include "runtime/exchange.h"
#include "runtime/net/groups.h"
#include "runtime/pool.h"

namespace mtfc::runtime::net {

/// x: this rank's operand, y: its result, scratch: exchange_scratch(spec) bytes.
void exchange(Groups& groups, Pool& pool, const ExchangeSpec& spec, const void* x, void* y,
              void* scratch);

}  // namespace mtfc::runtime::net
