// Collectives between real ranks. The network moves data; sums computed here have the bits of the
// simulated mesh (comm/exchange_spec.h), unless the layout leaves sums to the library.
#pragma once
#include "comm/groups.h"
#include "comm/message.h"

namespace mtfc::runtime::net {

/// x: this rank's operands, y: its results, one of each for every tensor of the bucket, which
/// travels as one message; scratch: bucket_scratch(bucket) bytes. Returns the bytes that went to
/// other ranks.
std::int64_t exchange(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                      const void* const* x, void* const* y, void* scratch);

}  // namespace mtfc::runtime::net
