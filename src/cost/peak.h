// The memory of one processor, and what is in it where a program needs the most at one time. The
// plan is the one that a rank allocates by (bind/memory_plan.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cost/live_buffers.h"

namespace mtfc::backends {

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

/// Bytes of one processor.
struct ProgramMemory {
  std::int64_t variables = 0;  // what lives from step to step
  std::int64_t arena = 0;      // values, and buffers of collectives that are waited for at once
  std::int64_t messages = 0;   // the most that buffers of asynchronous collectives take
  MemoryPeak peak;

  std::int64_t total() const { return variables + arena + messages; }
};

/// `bound`: by instruction. Shapes alone are read: nothing is allocated.
ProgramMemory memory_of(const Module& module, const Program& program,
                        const std::vector<Bound>& bound, const SourceMap& sources);

}  // namespace mtfc::backends
