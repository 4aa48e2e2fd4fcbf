#include "backends/execute/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "backends/execute/kernel_launches.h"
#include "bind/bind.h"
#include "bind/bind_rules.h"
#include "support/check.h"

namespace mtfc::backends {
namespace {

constexpr std::int64_t kAlignment = 64;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// All coordinates on the axes of a pending sum are 0: who holds the whole value after a load.
bool holds_sum(const ShardType& type, const std::int64_t* coordinates) {
  for (AxisId axis : type.sharding.partial)
    if (coordinates[axis.at()] != 0) return false;
  return true;
}

std::vector<std::int64_t> extents_of(const DimTable& dims, const TensorType& type) {
  std::vector<std::int64_t> extents;
  for (DimId dim : type.dims) extents.push_back(dims.size(dim));
  return extents;
}
std::vector<std::int64_t> stored_extents(const DimTable& dims, const TensorType& type) {
  return extents_of(dims, {type.dtype, stored_dims(dims, type.dims)});
}

}  // namespace

Bytes::Bytes(std::int64_t size) : size_(size) {
  const std::int64_t room = std::max(aligned(size), kAlignment);
  void* data = std::aligned_alloc(kAlignment, static_cast<std::size_t>(room));
  if (data == nullptr) throw std::bad_alloc();
  data_.reset(static_cast<std::byte*>(data));
}
void Bytes::fill(unsigned char value) {
  std::memset(data_.get(), value, static_cast<std::size_t>(size_));
}
void Bytes::Free::operator()(std::byte* data) const { std::free(data); }

Memory::Memory(const Module& module, bool all_replicas)
    : module_(module), all_replicas_(all_replicas) {
  make_variables();
}

Memory::Memory(const Module& module, runtime::net::Groups& groups)
    : module_(module), all_replicas_(false), groups_(&groups) {
  make_variables();
}

void Memory::make_variables() {
  for (const ModuleVariable& variable : module_.variables) {
    Held held = shape(variable.type);
    Bytes bytes(held.bytes());
    bytes.fill(0);
    held.base = bytes.data();
    variables_.push_back({std::move(bytes), held});
  }
}

std::byte* Memory::arena(std::int64_t bytes) {
  if (arenas_.empty() || arenas_.back().size() < bytes) arenas_.emplace_back(bytes);
  return arenas_.back().data();
}

std::vector<AxisId> Memory::held_axes(const ShardType& type) const {
  return all_replicas_ ? all_axes(module_.mesh) : varying_axes(type.sharding);
}

const Copies& Memory::copies_on(const std::vector<AxisId>& axes) {
  if (groups_)
    return copies_.try_emplace({}, Copies::of_processor(module_.mesh, groups_->coordinates()))
        .first->second;
  return copies_.try_emplace(axes, module_.mesh, axes).first->second;
}

Held Memory::shape(const ShardType& type) {
  const std::int64_t elements = shard_elements(module_.dims, module_.mesh, type);
  const auto size = static_cast<std::int64_t>(size_of(type.tensor.dtype));
  return {nullptr, aligned(elements * size), &copies(type)};
}

void Memory::load(runtime::Pool& pool, std::size_t variable, const runtime::HostTensor& value) {
  const ShardType& type = module_.variables[variable].type;
  MTFC_CHECK(value.dtype == type.tensor.dtype &&
                 value.extents == stored_extents(module_.dims, type.tensor),
             "a variable is set to a tensor of another shape");
  const Held& held = variables_[variable].held;
  if (groups_) return take_shard(*groups_, pool, sharded_tensor(context(), type), value, held.base);
  // A pending sum is loaded into one of its parts; a pending max or min into all.
  const bool sum = type.sharding.is_partial() && type.sharding.combine == Combine::sum;
  if (sum) variables_[variable].bytes.fill(0);
  const runtime::PaddedTo padded(value, host_tensor(module_.dims, type.tensor).extents);
  KernelCalls calls(slice_spec(context(), type));
  for (std::int64_t i = 0; i < held.copies->count(); ++i)
    if (!sum || holds_sum(type, held.copies->coordinates(i)))
      calls.add({padded->data.data()}, {held.copy(i)}, held.copies->coordinates(i));
  calls.seal();
  calls.run(pool);
}

runtime::HostTensor Memory::save(runtime::Pool& pool, std::size_t variable) {
  const ShardType& type = module_.variables[variable].type;
  const Held& held = variables_[variable].held;
  if (groups_) return assembled(*groups_, pool, sharded_tensor(context(), type), held.base);
  const Copies& parts = copies_on(type.sharding.partial);
  const Copies& blocks = distinct(type);
  // One whole tensor for each part of a pending sum (without one there is one), added up after.
  std::vector<runtime::HostTensor> whole;
  for (std::int64_t i = 0; i < parts.count(); ++i)
    whole.push_back(host_tensor(module_.dims, type.tensor));
  KernelCalls calls(assemble_spec(context(), type));
  for (std::int64_t i = 0; i < blocks.count(); ++i) {
    const std::int64_t* coordinates = blocks.coordinates(i);
    const auto part = static_cast<std::size_t>(parts.number(coordinates));
    calls.add({held.at(coordinates)}, {whole[part].data.data()}, coordinates);
  }
  calls.seal();
  calls.run(pool);
  const std::vector<std::int64_t> stored = stored_extents(module_.dims, type.tensor);
  if (whole.size() == 1) return fitted(std::move(whole[0]), stored);
  std::vector<const void*> sources;
  for (const runtime::HostTensor& part : whole) sources.push_back(part.data.data());
  runtime::HostTensor total = host_tensor(module_.dims, type.tensor);
  KernelCalls sum(CombineSpec{total.dtype, type.sharding.combine, total.elements(),
                              static_cast<int>(sources.size())});
  sum.add(sources, {total.data.data()}, nullptr);
  sum.seal();
  sum.run(pool);
  return fitted(std::move(total), stored);
}

runtime::net::ShardedTensor sharded_tensor(const Context& context, const ShardType& type) {
  const auto numbers = [](const std::vector<AxisId>& axes) {
    std::vector<int> list;
    for (AxisId axis : axes) list.push_back(axis.index);
    return list;
  };
  return {type.tensor.dtype,
          extents_of(context.dims, type.tensor),
          stored_extents(context.dims, type.tensor),
          ShardView(context, type).extents(),
          slice_spec(context, type),
          assemble_spec(context, type),
          numbers(varying_axes(type.sharding)),
          numbers(type.sharding.partial),
          type.sharding.combine};
}

runtime::HostTensor host_tensor(const DimTable& dims, const TensorType& type) {
  return runtime::HostTensor::zeros(type.dtype, extents_of(dims, type));
}

}  // namespace mtfc::backends
