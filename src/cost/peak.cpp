#include "cost/peak.h"

#include <algorithm>
#include <map>

#include "comm/message_buffers.h"

namespace mtfc::cost {
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

/// Collectives are started in the order of the list.
void run_through(const std::vector<Travel>& travels, runtime::BufferSizes& sizes) {
  std::multimap<std::size_t, std::size_t> ends;  // instruction -> number of the buffer
  for (const Travel& travel : travels) {
    for (; !ends.empty() && ends.begin()->first < travel.begin; ends.erase(ends.begin()))
      sizes.give_back(ends.begin()->second);
    ends.emplace(travel.end, sizes.take(travel.bytes));
  }
  for (const auto& [end, number] : ends) sizes.give_back(number);
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

namespace {

ProgramMemory figures(const Module& module, const Program& program, const LiveBuffers& buffers,
                      const std::vector<std::int64_t>& all) {
  ProgramMemory memory;
  memory.variables = variable_bytes(module);
  memory.arena = buffers.arena_bytes();
  for (const LiveBuffer& buffer : buffers.all())
    if (buffer.travels) memory.travels.push_back({buffer.begin, buffer.end, buffer.bytes});
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Phase phase = program.instructions[i].origin.phase;
    std::int64_t& most = memory.in_use.at(static_cast<std::size_t>(phase));
    most = std::max(most, all[i]);
  }
  return memory;
}

std::vector<std::int64_t> in_use(const LiveBuffers& buffers) {
  return buffers.in_use([](const LiveBuffer&) { return true; });
}

}  // namespace

ProgramMemory bytes_of(const Module& module, const Program& program,
                       const std::vector<bind::Bound>& bound, const SourceMap& sources) {
  const LiveBuffers buffers(module, program, bound, sources);
  return figures(module, program, buffers, in_use(buffers));
}

ProgramMemory memory_of(const Module& module, const Program& program,
                        const std::vector<bind::Bound>& bound, const SourceMap& sources) {
  const LiveBuffers buffers(module, program, bound, sources);
  const std::vector<std::int64_t> all = in_use(buffers);
  const auto when =
      static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
  ProgramMemory memory = figures(module, program, buffers, all);
  memory.peak = peak_at(when, module, program, buffers, sources);
  return memory;
}

std::int64_t message_bytes(const std::vector<std::vector<Travel>>& programs) {
  runtime::BufferSizes sizes;
  std::int64_t before = -1;
  while (sizes.total() > before) {  // until a step takes what the one before it left
    before = sizes.total();
    for (const std::vector<Travel>& travels : programs) run_through(travels, sizes);
  }
  return sizes.total();
}

}  // namespace mtfc::cost
