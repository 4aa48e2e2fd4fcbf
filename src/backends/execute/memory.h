// The memory of a module on one transport: its variables, and an arena that all programs share.
#pragma once
#include <vector>

#include "backends/execute/transport.h"
#include "ir/module.h"
#include "support/aligned_bytes.h"

namespace mtfc::backends {

struct MemoryOptions {
  /// A result may be computed in the buffer of an operand; off where results are overwritten before
  /// they are computed (replicas.h).
  bool in_place = true;
  /// Sums over processors are added as their parts are computed, from so many bytes of all parts
  /// on: fewer stay in a cache anyway.
  std::int64_t least_sum = std::int64_t{1} << 20;
  /// Instructions run tile by tile (find_tiles.h) if a tile has about so many bytes: below,
  /// starting kernels costs more than memory.
  std::int64_t least_tile = std::int64_t{32} << 10;
};

class Memory {
 public:
  /// Module and transport outlive it.
  Memory(const Module& module, Transport& transport, const MemoryOptions& options);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  const Module& module() const { return module_; }
  Transport& transport() const { return transport_; }
  bind::Context context() const { return {module_.dims, module_.mesh}; }
  const MemoryOptions& options() const { return options_; }

  /// Of variable number `number` of the module.
  const Buffer& variable(std::size_t number) const { return variables_[number]; }
  /// The buffer of a value of this type, without an address yet.
  Buffer shape(const ShardType& type) const;
  /// Memory of at least this size. Nothing in it outlives a run, so all programs share it; the one
  /// that was given before ends if it is too small.
  std::byte* arena(std::int64_t bytes);
  /// Ends the arena.
  void give_back() { arena_ = AlignedBytes(); }
  /// Whether this arena has not ended.
  bool has_arena(const std::byte* arena) const { return arena == arena_.data(); }
  /// All that is allocated now.
  std::int64_t bytes() const;

 private:
  const Module& module_;
  Transport& transport_;
  const MemoryOptions options_;
  AlignedBytes variable_bytes_;  // of all variables, one behind the other
  std::vector<Buffer> variables_;
  AlignedBytes arena_;
};

}  // namespace mtfc::backends
