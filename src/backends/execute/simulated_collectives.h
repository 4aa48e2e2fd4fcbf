// A collective on a simulated mesh: kernels that read the shards of the processors of a group.
#pragma once
#include <vector>

#include "backends/execute/distinct_shards.h"
#include "backends/execute/kernel_launches.h"
#include "comm/exchange_spec.h"

namespace mtfc::backends {

/// Each shard of `result` from the shards of `operand` that its group holds.
std::vector<KernelLaunches> simulated_launches(const Mesh& mesh, const runtime::ExchangeSpec& spec,
                                               const Buffer& operand, const Buffer& result,
                                               std::byte* scratch);
/// Bytes that simulated_launches needs in `scratch`.
std::int64_t simulated_scratch_bytes(const runtime::ExchangeSpec& spec,
                                     const DistinctShards& operand);

}  // namespace mtfc::backends
