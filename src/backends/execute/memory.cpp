#include "backends/execute/memory.h"

namespace mtfc::backends {

Memory::Memory(const Module& module, Transport& transport, const MemoryOptions& options)
    : module_(module), transport_(transport), options_(options) {
  std::int64_t all = 0;
  for (const ModuleVariable& variable : module.variables) all += shape(variable.type).bytes();
  // What evaluations of a pipeline send takes no memory before the first of them.
  variable_bytes_ = transport.allocate(all);
  std::byte* base = variable_bytes_.data();
  for (const ModuleVariable& variable : module.variables) {
    variables_.push_back(shape(variable.type));
    variables_.back().base = base;
    base += variables_.back().bytes();
  }
}

Buffer Memory::shape(const ShardType& type) const {
  return {nullptr, aligned(shard_bytes(module_.dims, module_.mesh, type)),
          &transport_.shards(type)};
}

std::byte* Memory::arena(std::int64_t bytes) {
  if (arena_.data() != nullptr && arena_.size() >= bytes) return arena_.data();
  arena_ = AlignedBytes();  // before the larger one begins
  arena_ = transport_.allocate(bytes);
  return arena_.data();
}

std::int64_t Memory::bytes() const { return arena_.size() + variable_bytes_.size(); }

}  // namespace mtfc::backends
