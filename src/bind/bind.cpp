#include "bind/bind.h"

#include "bind/bind_rules.h"

namespace mtfc::backends {
namespace {

struct Binder {
  const Context& context;
  const Shards& shards;

  Bound operator()(const Map& kind) const { return bind_map(context, kind, shards); }
  Bound operator()(const Contract& kind) const { return bind_contract(kind, shards); }
  Bound operator()(const Reduce& kind) const { return bind_reduce(kind, shards); }
  Bound operator()(const Rearrange& kind) const {
    runtime::CopySpec copy = bind_rearrange(kind, shards);
    if (is_identity(copy)) return Alias{};
    return copy;
  }
  Bound operator()(const Slice& kind) const { return bind_slice(kind, shards); }
  Bound operator()(const Pad& kind) const { return bind_pad(kind, shards); }
  Bound operator()(const Gather& kind) const { return bind_gather(context, kind, shards); }
  Bound operator()(const ScatterAdd& kind) const { return bind_scatter_add(context, kind, shards); }
  Bound operator()(const Put& kind) const { return bind_put(kind, shards); }
  Bound operator()(const Window& kind) const { return bind_window(kind, shards); }
  Bound operator()(const WindowAdd& kind) const { return bind_window_add(kind, shards); }
  Bound operator()(const PrefixSum& kind) const { return bind_prefix_sum(kind, shards); }
  Bound operator()(const TopPlaces& kind) const { return bind_top_places(kind, shards); }
  Bound operator()(const Concat& kind) const { return bind_concat(kind, shards); }
  Bound operator()(const Shard& kind) const { return bind_shard(kind, shards); }
  Bound operator()(const AllReduce& kind) const { return bind_all_reduce(context, kind, shards); }
  Bound operator()(const ReduceScatter& kind) const {
    return bind_reduce_scatter(context, kind, shards);
  }
  Bound operator()(const Await&) const { return Wait{}; }
  Bound operator()(const AllGather& kind) const { return bind_all_gather(context, kind, shards); }
  Bound operator()(const AllToAll& kind) const { return bind_all_to_all(context, kind, shards); }
  Bound operator()(const Permute& kind) const { return bind_permute(context, kind, shards); }
  Bound operator()(const Read&) const { return Edge{}; }
  Bound operator()(const Write&) const { return Edge{}; }
  Bound operator()(const Feed&) const { return Edge{}; }
  Bound operator()(const Fetch&) const { return Edge{}; }
};

Numbers global_extents(const Context& context, const ShardType& type) {
  Numbers extents;
  for (DimId dim : type.tensor.dims) extents.push_back(context.dims.size(dim));
  return extents;
}

/// Where the shard's first element stands in the dense memory of the whole tensor.
runtime::Offset corner(const ShardView& shard, const Numbers& global_strides) {
  runtime::Offset offset;
  for (std::size_t i = 0; i < shard.dims().size(); ++i)
    for (runtime::Offset::Term term : shard.begin(shard.dims()[i]).terms)
      offset.terms.push_back({term.axis, term.step * global_strides[i]});
  return offset;
}

}  // namespace

Shards::Shards(const Context& context, const Program& program, const Instruction& instruction) {
  for (ValueId id : instruction.operands) {
    operand_types.push_back(&program.at(id).type);
    operands.emplace_back(context, program.at(id).type);
  }
  for (ValueId id : instruction.results) {
    result_types.push_back(&program.at(id).type);
    results.emplace_back(context, program.at(id).type);
  }
}

bool is_alias(const Bound& bound) {
  return std::holds_alternative<Alias>(bound) || std::holds_alternative<Wait>(bound);
}

Bound bind(const Context& context, const Program& program, const Instruction& instruction) {
  const Shards shards(context, program, instruction);
  return std::visit(Binder{context, shards}, instruction.kind);
}

runtime::CopySpec slice_spec(const Context& context, const ShardType& type) {
  const ShardView shard(context, type);
  runtime::CopySpec copy;
  copy.element_size = size_of(shard.dtype());
  copy.extents = shard.extents();
  copy.x_strides = dense_strides(global_extents(context, type));
  copy.y_strides = shard.strides();
  copy.x_base = corner(shard, copy.x_strides);
  copy.y_size = shard.elements();
  return copy;
}

runtime::CopySpec assemble_spec(const Context& context, const ShardType& type) {
  runtime::CopySpec copy = slice_spec(context, type);
  std::swap(copy.x_strides, copy.y_strides);
  std::swap(copy.x_base, copy.y_base);
  copy.y_size = product(global_extents(context, type));
  return copy;
}

}  // namespace mtfc::backends
