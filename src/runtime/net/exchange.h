// Collectives between real processors. The network moves data and never adds: what is summed here
// has the bits that the simulated mesh gives (runtime/exchange.h).
#pragma once
#include "runtime/exchange.h"
#include "runtime/net/groups.h"
#include "runtime/pool.h"

namespace mtfc::runtime::net {

/// x: this rank's operand, y: its result, scratch: exchange_scratch(spec) bytes. Returns the bytes
/// that went to other ranks.
std::int64_t exchange(Groups& groups, Pool& pool, const ExchangeSpec& spec, const void* x, void* y,
                      void* scratch);

/// The same for a bucket, which travels as one message. scratch: bucket_scratch(bucket) bytes.
std::int64_t exchange(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                      const void* const* x, void* const* y, void* scratch);

}  // namespace mtfc::runtime::net
