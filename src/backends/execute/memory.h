// The memory of a module on one transport: its variables, and an arena that all programs share.
#pragma once
#include <vector>

#include "backends/execute/transport.h"
#include "ir/module.h"
#include "support/aligned_bytes.h"

namespace mtfc::backends {

class Memory {
 public:
  /// Both outlive it. in_place: a result may be computed in the buffer of an operand; off where
  /// results are overwritten before they are computed (replicas.h).
  Memory(const Module& module, Transport& transport, bool in_place);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  const Module& module() const { return module_; }
  Transport& transport() const { return transport_; }
  Context context() const { return {module_.dims, module_.mesh}; }
  bool in_place() const { return in_place_; }

  /// Of variable number `number` of the module.
  const Buffer& variable(std::size_t number) const { return variables_[number]; }
  /// The buffer of a value of this type, without an address yet.
  Buffer shape(const ShardType& type) const;
  /// Memory of at least this size. Nothing in it outlives a run, so all programs share it; the one
  /// that was given before ends if it is too small.
  std::byte* arena(std::int64_t bytes);
  /// Whether this arena has not ended.
  bool has_arena(const std::byte* arena) const { return arena == arena_.data(); }
  /// All that is allocated now.
  std::int64_t bytes() const;

 private:
  const Module& module_;
  Transport& transport_;
  const bool in_place_;
  AlignedBytes variable_bytes_;  // of all variables, one behind the other
  std::vector<Buffer> variables_;
  AlignedBytes arena_;
};

}  // namespace mtfc::backends
