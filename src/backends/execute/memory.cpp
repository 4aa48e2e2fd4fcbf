#include "backends/execute/memory.h"

namespace mtfc::backends {

Memory::Memory(const Module& module, Transport& transport, bool in_place)
    : module_(module), transport_(transport), in_place_(in_place) {
  for (const ModuleVariable& variable : module.variables) {
    Buffer buffer = shape(variable.type);
    AlignedBytes bytes = AlignedBytes::zeros(buffer.bytes());
    buffer.base = bytes.data();
    variables_.push_back({std::move(bytes), buffer});
  }
}

Buffer Memory::shape(const ShardType& type) const {
  const std::int64_t elements = shard_elements(module_.dims, module_.mesh, type);
  const auto size = static_cast<std::int64_t>(size_of(type.tensor.dtype));
  return {nullptr, aligned(elements * size), &transport_.shards(type)};
}

std::byte* Memory::arena(std::int64_t bytes) {
  if (arenas_.empty() || arenas_.back().size() < bytes) arenas_.emplace_back(bytes);
  return arenas_.back().data();
}

std::int64_t Memory::bytes() const {
  std::int64_t sum = 0;
  for (const Variable& variable : variables_) sum += variable.bytes.size();
  for (const AlignedBytes& arena : arenas_) sum += arena.size();
  return sum;
}

}  // namespace mtfc::backends
