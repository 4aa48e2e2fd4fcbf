#include "backends/execute/simulated_mesh.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "backends/execute/kernel_launches.h"
#include "backends/execute/simulated_collectives.h"
#include "bind/sharded_tensor.h"
#include "support/check.h"

namespace mtfc::backends {
namespace {

/// All coordinates on the axes of a partial sum are 0: who holds the complete value after a load.
bool holds_sum(const ShardType& type, const std::int64_t* coordinates) {
  for (AxisId axis : type.sharding.partial)
    if (coordinates[axis.at()] != 0) return false;
  return true;
}

}  // namespace

const DistinctShards& SimulatedMesh::shards(const ShardType& type) {
  return shards_on(all_replicas_ ? all_axes(context_.mesh) : varying_axes(type.sharding));
}

const DistinctShards& SimulatedMesh::shards_on(const std::vector<AxisId>& axes) {
  return shards_.try_emplace(axes, context_.mesh, axes).first->second;
}

std::int64_t SimulatedMesh::scratch_bytes(const bind::Exchanges& bucket,
                                          const std::vector<Buffer>& operands) const {
  std::int64_t most = 0;  // the tensors of a bucket go one after the other
  for (std::size_t i = 0; i < bucket.size(); ++i)
    most = std::max(most, simulated_scratch_bytes(bucket[i], *operands[i].shards));
  return most;
}

Collective SimulatedMesh::collective(const bind::Exchanges& bucket,
                                     const InstructionBuffers& buffers) {
  const auto launches = std::make_shared<std::vector<KernelLaunches>>();
  for (std::size_t i = 0; i < bucket.size(); ++i)
    for (KernelLaunches& launch : simulated_launches(context_.mesh, bucket[i], buffers.operands[i],
                                                     buffers.results[i], buffers.scratch))
      launches->push_back(std::move(launch));
  const auto run = [launches, sent = runtime::sent_bytes(bucket)](runtime::Pool& pool) {
    for (const KernelLaunches& launch : *launches) launch.run(pool);
    return sent;
  };
  return {run, [] {}};
}

FeedCopy SimulatedMesh::feed(const std::string& input, const ShardType& type, const Buffer& to) {
  const auto launches = std::make_shared<KernelLaunches>(bind::slice_spec(context_, type));
  for (std::int64_t i = 0; i < to.shards->count(); ++i)
    launches->add({nullptr}, {to.shard(i)}, to.shards->coordinates(i));
  launches->seal();
  const bind::Numbers stored = bind::stored_extents(context_.dims, type.tensor);
  const bind::Numbers whole = bind::extents_of(context_.dims, type.tensor);
  return [launches, input, stored, whole, dtype = type.tensor.dtype](
             runtime::Pool& pool, const runtime::HostTensor& fed) {
    MTFC_CHECK(fed.dtype == dtype && fed.elements() == product(stored),
               "what is fed to " + input + " has another type or size");
    const runtime::PaddedTo padded(fed, whole);
    launches->set_input(padded->data.data());
    launches->run(pool);
  };
}

FetchCopy SimulatedMesh::fetch(const ShardType& type, const Buffer& from) {
  MTFC_CHECK(!type.sharding.is_partial(), "a partial value is fetched");
  const auto launches = std::make_shared<KernelLaunches>(bind::assemble_spec(context_, type));
  const DistinctShards& blocks = shards_on(varying_axes(type.sharding));
  for (std::int64_t i = 0; i < blocks.count(); ++i)
    launches->add({from.at(blocks.coordinates(i))}, {nullptr}, blocks.coordinates(i));
  launches->seal();
  return [this, launches, tensor = type.tensor](runtime::Pool& pool) {
    runtime::HostTensor whole = bind::host_tensor(context_.dims, tensor);
    launches->set_output(whole.data.data());
    launches->run(pool);
    return whole;
  };
}

void SimulatedMesh::load(runtime::Pool& pool, const ShardType& type,
                         const runtime::HostTensor& value, const Buffer& to) {
  MTFC_CHECK(value.dtype == type.tensor.dtype &&
                 value.extents == bind::stored_extents(context_.dims, type.tensor),
             "a variable is set to a tensor of another shape");
  // A partial sum is loaded into one of its parts; a partial maximum or minimum into all.
  const bool sum = type.sharding.is_partial() && type.sharding.combine == Combine::sum;
  if (sum) std::memset(to.base, 0, static_cast<std::size_t>(to.bytes()));
  const runtime::PaddedTo padded(value, bind::host_tensor(context_.dims, type.tensor).extents);
  KernelLaunches launches(bind::slice_spec(context_, type));
  for (std::int64_t i = 0; i < to.shards->count(); ++i)
    if (!sum || holds_sum(type, to.shards->coordinates(i)))
      launches.add({padded->data.data()}, {to.shard(i)}, to.shards->coordinates(i));
  launches.seal();
  launches.run(pool);
}

runtime::HostTensor SimulatedMesh::save(runtime::Pool& pool, const ShardType& type,
                                        const Buffer& from) {
  std::vector<runtime::HostTensor> parts = parts_of(pool, type, from);
  const std::vector<std::int64_t> stored = bind::stored_extents(context_.dims, type.tensor);
  if (parts.size() == 1) return fitted(std::move(parts[0]), stored);
  std::vector<const void*> sources;
  for (const runtime::HostTensor& part : parts) sources.push_back(part.data.data());
  runtime::HostTensor total = bind::host_tensor(context_.dims, type.tensor);
  KernelLaunches sum(CombineSpec{total.dtype, type.sharding.combine, total.elements(),
                                 static_cast<int>(sources.size())});
  sum.add(sources, {total.data.data()}, nullptr);
  sum.seal();
  sum.run(pool);
  return fitted(std::move(total), stored);
}

NotFinite SimulatedMesh::worst_of(runtime::Pool& pool, const ShardType& type, const Buffer& of) {
  if (type.sharding.is_partial()) return mtfc::worst_of(save(pool, type, of));
  const bind::ShardView shard(context_, type);
  const bind::Numbers stored = bind::stored_extents(context_.dims, type.tensor);
  NotFinite worst = NotFinite::none;
  for (std::int64_t i = 0; i < of.shards->count(); ++i) {
    bind::Numbers block = shard.extents();
    for (std::size_t d = 0; d < block.size(); ++d) {
      const std::int64_t begin = shard.begin(shard.dims()[d]).at(of.shards->coordinates(i));
      block[d] = std::clamp<std::int64_t>(stored[d] - begin, 0, block[d]);
    }
    worst = std::max(worst, worst_of_block(shard.dtype(), of.shard(i), shard.extents(), block));
  }
  return worst;
}

/// One whole tensor for each part of a partial value; of another value, one.
std::vector<runtime::HostTensor> SimulatedMesh::parts_of(runtime::Pool& pool, const ShardType& type,
                                                         const Buffer& from) {
  const DistinctShards& parts = shards_on(type.sharding.partial);
  const DistinctShards& blocks = shards_on(varying_axes(type.sharding));
  std::vector<runtime::HostTensor> whole;
  for (std::int64_t i = 0; i < parts.count(); ++i)
    whole.push_back(bind::host_tensor(context_.dims, type.tensor));
  KernelLaunches launches(bind::assemble_spec(context_, type));
  for (std::int64_t i = 0; i < blocks.count(); ++i) {
    const std::int64_t* coordinates = blocks.coordinates(i);
    const auto part = static_cast<std::size_t>(parts.number(coordinates));
    launches.add({from.at(coordinates)}, {whole[part].data.data()}, coordinates);
  }
  launches.seal();
  launches.run(pool);
  return whole;
}

}  // namespace mtfc::backends
