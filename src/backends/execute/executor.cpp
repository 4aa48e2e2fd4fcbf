#include "backends/execute/executor.h"

#include "bind/sharded_tensor.h"
#include "ir/text_words.h"
#include "support/check.h"

namespace mtfc::backends {

Executor::Executor(const Module& module, Transport& transport, bool in_place)
    : module_(module), transport_(transport), in_place_(in_place) {
  for (const ModuleVariable& variable : module.variables) {
    Buffer buffer = shape(variable.type);
    AlignedBytes bytes = AlignedBytes::zeros(buffer.bytes());
    buffer.base = bytes.data();
    variables_.push_back({std::move(bytes), buffer});
  }
}

Executable& Executor::executable(std::string_view name) {
  if (const auto found = executables_.find(name); found != executables_.end()) return found->second;
  const Program* program = module_.find(name);
  MTFC_CHECK(program, "no program " + std::string(name));
  return executables_.try_emplace(program->name, *this, *program).first->second;
}

runtime::Counters Executor::counters(std::string_view program) const {
  const auto found = executables_.find(program);
  return found == executables_.end() ? runtime::Counters{} : found->second.counters();
}

Buffer Executor::shape(const ShardType& type) const {
  const std::int64_t elements = shard_elements(module_.dims, module_.mesh, type);
  const auto size = static_cast<std::int64_t>(size_of(type.tensor.dtype));
  return {nullptr, aligned(elements * size), &transport_.shards(type)};
}

std::byte* Executor::arena(std::int64_t bytes) {
  if (arenas_.empty() || arenas_.back().size() < bytes) arenas_.emplace_back(bytes);
  return arenas_.back().data();
}

std::vector<runtime::VariableInfo> variables_of(const Module& module) {
  std::vector<runtime::VariableInfo> all;
  for (const ModuleVariable& variable : module.variables) {
    const TensorType& type = variable.type.tensor;
    runtime::VariableInfo info{variable.path,
                               std::string(name(variable.kind)),
                               type.dtype,
                               stored_extents(module.dims, type),
                               {}};
    for (const DimId dim : stored_dims(module.dims, type.dims))
      info.dims.push_back(module.dims.name(dim));
    all.push_back(std::move(info));
  }
  return all;
}

}  // namespace mtfc::backends
