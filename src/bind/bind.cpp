#include "bind/bind.h"

#include "bind/bind_rules.h"

namespace mtfc::bind {
namespace {

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

Shards::Shards(const Context& context, const Program& program, const Instruction& instruction)
    : context(context) {
  for (ValueId id : instruction.operands) {
    operand_types.push_back(&program.at(id).type);
    operands.emplace_back(context, program.at(id).type);
  }
  for (ValueId id : instruction.results) {
    result_types.push_back(&program.at(id).type);
    results.emplace_back(context, program.at(id).type);
  }
}

Bound bind_rule(const Wait&, const Shards&) { return Completion{}; }
Bound bind_rule(const Read&, const Shards&) { return Edge{}; }
Bound bind_rule(const Write&, const Shards&) { return Edge{}; }
Bound bind_rule(const Feed&, const Shards&) { return Edge{}; }
Bound bind_rule(const Fetch&, const Shards&) { return Edge{}; }

bool is_alias(const Bound& bound) {
  return std::holds_alternative<Alias>(bound) || std::holds_alternative<Completion>(bound);
}

bool is_product(const Bound& bound) {
  if (std::holds_alternative<runtime::TiledSpec>(bound)) return true;
  const auto* adding = std::get_if<runtime::AddProductSpec>(&bound);
  const auto* contraction =
      adding != nullptr ? &adding->product : std::get_if<runtime::ContractSpec>(&bound);
  return contraction != nullptr && !(contraction->m.empty() && contraction->n.empty());
}

Bound bind(const Context& context, const Program& program, const Instruction& instruction) {
  const Shards shards(context, program, instruction);
  return std::visit([&](const auto& kind) { return bind_rule(kind, shards); }, instruction.kind);
}

std::vector<Bound> bind_all(const Context& context, const Program& program) {
  std::vector<Bound> bound;
  bound.reserve(program.instructions.size());
  for (const Instruction& at : program.instructions) bound.push_back(bind(context, program, at));
  return bound;
}

std::int64_t scratch_of(const Exchanges& bucket) {
  return bucket.at(0).async ? 0 : runtime::bucket_scratch(bucket);
}
std::int64_t scratch_of(const Bound& bound) {
  const auto* bucket = std::get_if<Exchanges>(&bound);
  return bucket ? scratch_of(*bucket) : 0;
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

}  // namespace mtfc::bind
