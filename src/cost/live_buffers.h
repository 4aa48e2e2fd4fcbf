// The buffers of one processor over a program: from which instruction to which each is in use, and
// what it is for. Planned as a rank plans it (bind/memory_plan.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bind/memory_plan.h"
#include "cost/memory_role.h"

namespace mtfc::cost {

/// Where the values of a program are on one processor. `bound`: by instruction.
bind::Plan plan_of_rank(const Module& module, const Program& program,
                        const std::vector<bind::Bound>& bound);

/// Of a shard, with what aligns the next one.
std::int64_t allocated_bytes(const Module& module, const ShardType& type);

struct LiveBuffer {
  MemoryRole role{};
  ValueId value;  // the first that has this memory; not valid: what instruction `begin` needs
                  // beside its values
  std::int64_t bytes = 0;
  std::size_t begin = 0, end = 0;  // instructions, both included
  bool travels = false;  // of an asynchronous collective, beside the arena until it is waited for
};

/// Buffers of one role, name, line and phase that are alive at the same time.
struct Alive {
  MemoryRole role{};
  std::string name;    // "layers.*.attn.q": numbers of instances are `*`; "contract" if it has none
  std::string source;  // "models/gpt.mtf:14", empty if unknown
  std::string phase;   // of what made it; empty: a variable
  std::int64_t count = 0, bytes = 0;
};

class LiveBuffers {
 public:
  /// All outlive it. `bound`: by instruction.
  LiveBuffers(const Module& module, const Program& program, const std::vector<bind::Bound>& bound,
              const SourceMap& sources);

  const std::vector<LiveBuffer>& all() const { return all_; }
  std::int64_t arena_bytes() const { return arena_bytes_; }
  /// Bytes by instruction of those that satisfy `counts`; of a program without instructions as if
  /// it had one.
  template <class Counts>
  std::vector<std::int64_t> in_use(Counts counts) const {
    std::vector<std::int64_t> bytes(instructions_ + 1, 0);
    for (const LiveBuffer& buffer : all_) {
      if (!counts(buffer)) continue;
      bytes[buffer.begin] += buffer.bytes;
      bytes[buffer.end < instructions_ ? buffer.end + 1 : instructions_] -= buffer.bytes;
    }
    for (std::size_t i = 1; i < bytes.size(); ++i) bytes[i] += bytes[i - 1];
    bytes.pop_back();
    return bytes;
  }
  /// As one row, with a count of 1.
  Alive describe(const LiveBuffer& buffer) const;

 private:
  void add_arena();
  void add_messages();
  void find_names();

  const Module& module_;
  const Program& program_;
  const std::vector<bind::Bound>& bound_;
  const SourceMap& sources_;
  const std::size_t instructions_;  // at least 1
  std::vector<LiveBuffer> all_;
  std::vector<SharedText> names_;  // by ValueId
  std::int64_t arena_bytes_ = 0;
};

/// Of all variables of a module.
std::int64_t variable_bytes(const Module& module);
/// The variables of a module, a row for each; they live from step to step.
std::vector<Alive> alive_variables(const Module& module, const SourceMap& sources);

/// Rows of one role, name, line and phase as one; the largest first.
std::vector<Alive> summed_up(const std::vector<Alive>& rows);

}  // namespace mtfc::cost
