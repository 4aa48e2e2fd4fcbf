// The memory of a simulated mesh, or of one real processor: variables for the module's life, an
// arena for each program.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "backends/execute/distinct_shards.h"
#include "bind/shard_view.h"
#include "comm/sharded.h"
#include "ir/module.h"
#include "kernels/pool.h"
#include "train/engine.h"

namespace mtfc::backends {

/// Aligned memory of a fixed size.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::int64_t size);
  std::byte* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  void fill(unsigned char value);

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::int64_t size_ = 0;
};

/// The copies of one value, side by side.
struct Held {
  std::byte* base = nullptr;
  std::int64_t stride = 0;  // bytes from one copy to the next
  const Copies* copies = nullptr;

  std::byte* copy(std::int64_t number) const { return base + number * stride; }
  /// What the processor at `coordinates` holds.
  std::byte* at(const std::int64_t* coordinates) const { return copy(copies->number(coordinates)); }
  std::int64_t bytes() const { return stride * copies->count(); }
};

class Memory {
 public:
  /// all_replicas: every processor holds its own copy of everything.
  Memory(const Module& module, bool all_replicas);
  /// Of this rank alone. `groups` outlives the memory.
  Memory(const Module& module, runtime::net::Groups& groups);

  const Module& module() const { return module_; }
  Context context() const { return {module_.dims, module_.mesh}; }
  bool all_replicas() const { return all_replicas_; }
  /// The network that other processors are reached by; null on a simulated mesh.
  runtime::net::Groups* groups() const { return groups_; }

  /// The copies that exist of a value of this type; the table lives as long as the memory.
  const Copies& copies(const ShardType& type) { return copies_on(held_axes(type)); }
  /// One copy for each value that differs, whatever the mode.
  const Copies& distinct(const ShardType& type) { return copies_on(varying_axes(type.sharding)); }
  /// A value of this type, not yet anywhere.
  Held shape(const ShardType& type);

  /// Room for a program's arena. Nothing in it outlives a run, so all programs share it.
  std::byte* arena(std::int64_t bytes);

  const Held& variable(std::size_t number) const { return variables_[number].held; }
  void load(runtime::Pool& pool, std::size_t variable, const runtime::HostTensor& value);
  runtime::HostTensor save(runtime::Pool& pool, std::size_t variable);

 private:
  struct Variable {
    Bytes bytes;
    Held held;
  };
  void make_variables();
  std::vector<AxisId> held_axes(const ShardType& type) const;
  const Copies& copies_on(const std::vector<AxisId>& axes);

  const Module& module_;
  const bool all_replicas_;
  runtime::net::Groups* const groups_ = nullptr;
  std::map<std::vector<AxisId>, Copies> copies_;
  std::vector<Variable> variables_;
  std::vector<Bytes> arenas_;  // each larger than the one before; prepared programs point into them
};

/// The tensor as a network sees it.
runtime::net::ShardedTensor sharded_tensor(const Context& context, const ShardType& type);

/// Zeros in the global form of a type.
runtime::HostTensor host_tensor(const DimTable& dims, const TensorType& type);

}  // namespace mtfc::backends
