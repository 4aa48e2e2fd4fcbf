// Turns one bound instruction into kernel calls on all its copies.
#pragma once
#include <vector>

#include "backends/execute/kernel_launches.h"
#include "backends/execute/memory.h"
#include "bind/bind.h"

namespace mtfc::backends {

/// The copies that an instruction reads and makes, and room for blocks on their way.
struct StepValues {
  std::vector<Held> operands, results;
  std::byte* scratch = nullptr;
};

/// A local instruction: each copy of the result from the operands of a processor that holds it.
KernelCalls local_calls(KernelSpec spec, const StepValues& values);

/// A collective on operand number `i`: each copy of the result from those of its group.
std::vector<KernelCalls> exchange_calls(const Mesh& mesh, const runtime::ExchangeSpec& spec,
                                        const StepValues& values, std::size_t i);
/// Bytes that exchange_calls needs in `scratch`.
std::int64_t exchange_scratch(const runtime::ExchangeSpec& spec, const Copies& operand);

}  // namespace mtfc::backends
