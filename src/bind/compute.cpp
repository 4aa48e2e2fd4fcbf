// Arithmetic: map, contract, reduce.
#include "bind/bind_rules.h"
#include "support/check.h"

namespace mtfc::bind {
namespace {

runtime::MapSpec::Operand map_operand(const ShardView& operand, const ShardView& space) {
  for (DimId dim : operand.dims())
    MTFC_CHECK(space.has(dim) && space.extent(dim) == operand.extent(dim),
               "an operand of a map has a dimension or shard that the result lacks");
  runtime::MapSpec::Operand bound{operand.dtype(), {}};
  for (DimId dim : space.dims()) bound.strides.push_back(operand.stride(dim));
  return bound;
}

/// A random sample is a function of the global index in its own shape, whatever the layout and its
/// padding.
runtime::MapSpec::RandomLeaf random_leaf(const Context& context, const Map::Random& random,
                                         const ShardView& space) {
  runtime::MapSpec::RandomLeaf leaf{
      random.distribution, random.a, random.b, static_cast<std::uint64_t>(random.key),
      random.step_operand, {},       {},       random.first_operand};
  const auto every = [&](DimId dim) { return dim == random.numbered ? random.every : 1; };
  Numbers sizes;
  for (DimId dim : random.dims)
    sizes.push_back(context.dims.size(stored_dim(context.dims, dim)) * every(dim));
  const Numbers strides = dense_strides(sizes);
  const auto stride = [&](DimId dim) {
    const int index = position(random.dims, dim);
    return index < 0 ? 0 : strides[static_cast<std::size_t>(index)];
  };
  if (random.first_operand >= 0) leaf.first_stride = stride(random.numbered);
  for (DimId dim : space.dims()) {
    leaf.strides.push_back(stride(dim) * every(dim));
    leaf.offsets.push_back(space.begin(dim));
  }
  return leaf;
}

/// Extent of `dim` in both, which must agree.
std::int64_t common_extent(const ShardView& a, const ShardView& b, DimId dim) {
  MTFC_CHECK(a.extent(dim) == b.extent(dim), "shards of one dimension differ in a contraction");
  return a.extent(dim);
}

runtime::ContractSpec::Factor factor(DimId dim, std::int64_t extent, const ShardView& a,
                                     const ShardView& b, const ShardView& c) {
  return {extent, a.stride(dim), b.stride(dim), c.stride(dim)};
}

}  // namespace

Bound bind_rule(const Map& map, const Shards& shards) {
  const ShardView& space = shards.results.at(0);
  for (const ShardType* result : shards.result_types)
    MTFC_CHECK(result->tensor.dims == space.dims() &&
                   result->sharding.split == shards.result_types[0]->sharding.split,
               "results of one map differ in shape");
  runtime::MapSpec spec;
  spec.extents = space.extents();
  for (const ShardView& operand : shards.operands)
    spec.operands.push_back(map_operand(operand, space));
  for (DimId dim : map.index_leaves)
    spec.index_leaves.push_back({position(space.dims(), dim), space.begin(dim)});
  for (const Map::Random& random : map.random_leaves)
    spec.random_leaves.push_back(random_leaf(shards.context, random, space));
  spec.body = map.body;
  return spec;
}

namespace {

runtime::ContractSpec product_of(const DimList& reduced, const Shards& shards) {
  const ShardView &a = shards.operands.at(0), &b = shards.operands.at(1), &c = shards.results.at(0);
  runtime::ContractSpec spec;
  spec.a = a.dtype();
  spec.b = b.dtype();
  spec.c = c.dtype();
  for (DimId dim : c.dims()) {
    const std::int64_t extent = c.extent(dim);
    MTFC_CHECK(a.has(dim) || b.has(dim), "a contraction makes a dimension");
    if (a.has(dim) && b.has(dim)) common_extent(a, b, dim);
    common_extent(c, a.has(dim) ? a : b, dim);
    auto& role = !b.has(dim) ? spec.m : !a.has(dim) ? spec.n : spec.batch;
    role.push_back(factor(dim, extent, a, b, c));
  }
  for (DimId dim : reduced) {
    MTFC_CHECK(a.has(dim) && b.has(dim) && !c.has(dim),
               "a contraction reduces a dimension that is not in both operands");
    spec.k.push_back(factor(dim, common_extent(a, b, dim), a, b, c));
  }
  spec.a_size = a.elements();
  spec.b_size = b.elements();
  spec.c_size = c.elements();
  return spec;
}

}  // namespace

Bound bind_rule(const Contract& contract, const Shards& shards) {
  return product_of(contract.reduced, shards);
}

Bound bind_rule(const AddProduct& add, const Shards& shards) {
  return runtime::AddProductSpec{product_of(add.reduced, shards)};
}

Bound bind_rule(const Reduce& reduce, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  runtime::ReduceSpec spec;
  spec.x = x.dtype();
  spec.y = y.dtype();
  spec.kind = reduce.kind;
  for (DimId dim : y.dims()) {
    spec.kept_extents.push_back(common_extent(x, y, dim));
    spec.kept_strides.push_back(x.stride(dim));
  }
  for (DimId dim : x.dims()) {
    if (y.has(dim)) continue;
    MTFC_CHECK(contains(reduce.reduced, dim), "a reduction loses a dimension");
    spec.reduced_extents.push_back(x.extent(dim));
    spec.reduced_strides.push_back(x.stride(dim));
  }
  return spec;
}

}  // namespace mtfc::bind
