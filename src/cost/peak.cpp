#include "cost/peak.h"

#include <algorithm>

namespace mtfc::backends {
namespace {

/// What is alive at this instruction.
MemoryPeak peak_at(std::size_t when, const Module& module, const Program& program,
                   const LiveBuffers& buffers, const SourceMap& sources) {
  MemoryPeak peak;
  peak.program = program.name;
  if (when < program.instructions.size()) {
    const Instruction& at = program.instructions[when];
    peak.instruction = name(at.kind);
    peak.source = source_text(sources, at.origin.span);
    peak.phase = name(at.origin.phase);
  }
  std::vector<Alive> rows = alive_variables(module, sources);
  for (const LiveBuffer& buffer : buffers.all())
    if (buffer.begin <= when && when <= buffer.end) rows.push_back(buffers.describe(buffer));
  peak.alive = summed_up(rows);
  return peak;
}

}  // namespace

std::int64_t MemoryPeak::in_use() const {
  std::int64_t bytes = 0;
  for (const Alive& one : alive) bytes += one.bytes;
  return bytes;
}

std::int64_t MemoryPeak::in_use(MemoryRole role) const {
  std::int64_t bytes = 0;
  for (const Alive& one : alive) bytes += one.role == role ? one.bytes : 0;
  return bytes;
}

ProgramMemory memory_of(const Module& module, const Program& program,
                        const std::vector<Bound>& bound, const SourceMap& sources) {
  const LiveBuffers buffers(module, program, bound, sources);
  const std::vector<std::int64_t> all = buffers.in_use([](const LiveBuffer&) { return true; });
  const std::vector<std::int64_t> messages =
      buffers.in_use([](const LiveBuffer& buffer) { return buffer.travels; });
  ProgramMemory memory;
  memory.arena = buffers.arena_bytes();
  memory.messages = *std::max_element(messages.begin(), messages.end());
  const auto when =
      static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
  memory.peak = peak_at(when, module, program, buffers, sources);
  for (const Alive& one : memory.peak.alive)
    if (one.phase.empty()) memory.variables += one.bytes;
  memory.peak.unused = memory.total() - memory.peak.in_use();
  return memory;
}

}  // namespace mtfc::backends
