// One function per kind of instruction, for bind() alone.
#pragma once
#include "bind/bind.h"

namespace mtfc::backends {

/// The shards that an instruction reads and makes.
struct Shards {
  std::vector<ShardView> operands, results;
  std::vector<const ShardType*> operand_types, result_types;

  Shards(const Context& context, const Program& program, const Instruction& instruction);
};

runtime::MapSpec bind_map(const Context& context, const Map& map, const Shards& shards);
runtime::ContractSpec bind_contract(const Contract& contract, const Shards& shards);
runtime::ReduceSpec bind_reduce(const Reduce& reduce, const Shards& shards);

runtime::CopySpec bind_rearrange(const Rearrange& rearrange, const Shards& shards);
/// True if the copy would leave every element where it is.
bool is_identity(const runtime::CopySpec& copy);
runtime::CopySpec bind_slice(const Slice& slice, const Shards& shards);
runtime::CopySpec bind_pad(const Pad& pad, const Shards& shards);
runtime::CopySpec bind_shard(const Shard& shard, const Shards& shards);

runtime::GatherSpec bind_gather(const Context& context, const Gather& gather, const Shards& shards);
runtime::ScatterAddSpec bind_scatter_add(const Context& context, const ScatterAdd& scatter,
                                         const Shards& shards);
runtime::PutSpec bind_put(const Put& put, const Shards& shards);

runtime::WindowSpec bind_window(const Window& window, const Shards& shards);
runtime::WindowAddSpec bind_window_add(const WindowAdd& window, const Shards& shards);
runtime::PrefixSpec bind_prefix_sum(const PrefixSum& prefix, const Shards& shards);
runtime::TopSpec bind_top_places(const TopPlaces& top, const Shards& shards);
CopyList bind_concat(const Concat& concat, const Shards& shards);

Exchanges bind_all_reduce(const Context& context, const AllReduce& reduce, const Shards& shards);
Exchanges bind_reduce_scatter(const Context& context, const ReduceScatter& scatter,
                              const Shards& shards);
Exchanges bind_all_gather(const Context& context, const AllGather& gather, const Shards& shards);
Exchanges bind_all_to_all(const Context& context, const AllToAll& exchange, const Shards& shards);
Exchanges bind_permute(const Context& context, const Permute& permute, const Shards& shards);

}  // namespace mtfc::backends
