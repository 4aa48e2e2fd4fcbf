#include "backends/execute/memory.h"

namespace mtfc::backends {

Memory::Memory(const Module& module, Transport& transport, bool in_place)
    : module_(module), transport_(transport), in_place_(in_place) {
  std::int64_t all = 0;
  for (const ModuleVariable& variable : module.variables) all += shape(variable.type).bytes();
  AlignedBytes::require(all);  // before the first is written to
  for (const ModuleVariable& variable : module.variables) {
    Buffer buffer = shape(variable.type);
    AlignedBytes bytes = AlignedBytes::zeros(buffer.bytes());
    buffer.base = bytes.data();
    variables_.push_back({std::move(bytes), buffer});
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

std::int64_t Memory::bytes() const {
  std::int64_t sum = arena_.size();
  for (const Variable& variable : variables_) sum += variable.bytes.size();
  return sum;
}

}  // namespace mtfc::backends
