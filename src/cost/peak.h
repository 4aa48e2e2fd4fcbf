// The memory of one processor, and what is in it where a program needs the most at one time. The
// plan is the one that a rank allocates by (bind/memory_plan.h).
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cost/live_buffers.h"

namespace mtfc::cost {

/// The buffer of an asynchronous collective, from the instruction that starts it to the one that
/// waits for it.
struct Travel {
  std::size_t begin = 0, end = 0;
  std::int64_t bytes = 0;
};

struct MemoryPeak {
  // The instruction that runs then.
  std::string program, instruction, source, phase;
  std::vector<Alive> alive;  // the largest first
  /// Allocated, but not in use then: holes between buffers of the arena, and buffers of messages
  /// that travel at another time.
  std::int64_t unused = 0;

  std::int64_t in_use() const;
  std::int64_t in_use(MemoryRole role) const;
};

/// By number of the phase of what runs.
using PhaseBytes = std::array<std::int64_t, 4>;

/// Bytes of one processor.
struct ProgramMemory {
  std::int64_t variables = 0;  // what lives from step to step
  std::int64_t arena = 0;      // values, and buffers of collectives that are waited for at once
  std::vector<Travel> travels;
  PhaseBytes in_use{};  // the most of values and messages at one time, without holes
  MemoryPeak peak;      // without what is not in use
};

/// `bound`: by instruction. Shapes alone are read: nothing is allocated.
ProgramMemory memory_of(const Module& module, const Program& program,
                        const std::vector<bind::Bound>& bound, const SourceMap& sources);
/// Its figures alone, without the peak: what a search over layouts asks for.
ProgramMemory bytes_of(const Module& module, const Program& program,
                       const std::vector<bind::Bound>& bound, const SourceMap& sources);

/// Bytes of the buffers that a rank keeps which runs these programs in turn, again and again
/// (comm/message_buffers.h).
std::int64_t message_bytes(const std::vector<std::vector<Travel>>& programs);

}  // namespace mtfc::cost
