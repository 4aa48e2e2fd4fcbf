// Collectives: which block goes where.
#include <algorithm>

#include "bind/bind_rules.h"
#include "support/check.h"

namespace mtfc::bind {
namespace {

using runtime::ExchangeSpec;

ExchangeSpec begin_exchange(const Context& context, ExchangeSpec::Kind kind,
                            std::vector<AxisId> axes, const ShardView& x, const ShardView& y) {
  ExchangeSpec spec;
  spec.kind = kind;
  spec.dtype = x.dtype();
  std::sort(axes.begin(), axes.end());
  for (AxisId axis : axes) {
    spec.axes.push_back(axis.index);
    spec.group_size *= context.mesh.size(axis);
  }
  spec.source_elements = x.elements();
  spec.result_elements = y.elements();
  return spec;
}

/// A block has, along each dimension, the smaller of the two shards' extents: a dimension that is
/// cut is smaller in the result, one that is put together smaller in the operand.
void fill_block(ExchangeSpec& spec, const ShardView& x, const ShardView& y) {
  MTFC_CHECK(same_set(x.dims(), y.dims()), "a collective changes the dimensions");
  for (DimId dim : y.dims()) {
    spec.extents.push_back(std::min(x.extent(dim), y.extent(dim)));
    spec.source_strides.push_back(x.stride(dim));
    spec.result_strides.push_back(y.stride(dim));
  }
}

void set_summing(ExchangeSpec& spec, Combine combine, const Summing& how) {
  spec.combine = combine;
  spec.by_library = how.by_library;
  spec.async = how.async;
}

void append_missing(std::vector<AxisId>& axes, const std::vector<AxisId>& more) {
  for (AxisId axis : more)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
}

}  // namespace

Bound bind_rule(const AllReduce& reduce, const Shards& shards) {
  Exchanges bucket;
  for (std::size_t i = 0; i < shards.operands.size(); ++i) {
    const ShardView &x = shards.operands[i], &y = shards.results.at(i);
    MTFC_CHECK(x.dims() == y.dims() && x.extents() == y.extents(), "all_reduce changes the shape");
    ExchangeSpec& spec = bucket.emplace_back(
        begin_exchange(shards.context, ExchangeSpec::Kind::all_reduce, reduce.axes, x, y));
    fill_block(spec, x, y);
    set_summing(spec, reduce.kind, reduce.how);
  }
  return bucket;
}

Bound bind_rule(const ReduceScatter& scatter, const Shards& shards) {
  Exchanges bucket;
  for (std::size_t i = 0; i < shards.operands.size(); ++i) {
    const ShardView &x = shards.operands[i], &y = shards.results.at(i);
    const DimId dim = scatter.dims.at(i);
    ExchangeSpec& spec = bucket.emplace_back(
        begin_exchange(shards.context, ExchangeSpec::Kind::reduce_scatter, {scatter.axis}, x, y));
    fill_block(spec, x, y);
    set_summing(spec, scatter.kind, scatter.how);
    spec.source_step = y.extent(dim) * x.stride(dim);
  }
  return bucket;
}

Bound bind_rule(const AllGather& gather, const Shards& shards) {
  Exchanges bucket;
  for (std::size_t i = 0; i < shards.operands.size(); ++i) {
    const ShardView &x = shards.operands[i], &y = shards.results.at(i);
    const DimId dim = gather.dims.at(i);
    ExchangeSpec& spec = bucket.emplace_back(
        begin_exchange(shards.context, ExchangeSpec::Kind::all_gather, {gather.axis}, x, y));
    fill_block(spec, x, y);
    spec.result_step = x.extent(dim) * y.stride(dim);
    spec.async = gather.async;
  }
  return bucket;
}

Bound bind_rule(const AllToAll& exchange, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  ExchangeSpec spec =
      begin_exchange(shards.context, ExchangeSpec::Kind::all_to_all, {exchange.axis}, x, y);
  fill_block(spec, x, y);
  spec.source_step = y.extent(exchange.to) * x.stride(exchange.to);
  spec.result_step = x.extent(exchange.from) * y.stride(exchange.from);
  return Exchanges{spec};
}

Bound bind_rule(const Permute& permute, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  MTFC_CHECK(x.extents() == y.extents(), "permute changes the shape of shards");
  // Axes that one side lacks stand behind, so that both name all of them.
  std::vector<AxisId> held, wanted;
  for (const Permute::Change& change : permute.changes) {
    held.insert(held.end(), change.from.begin(), change.from.end());
    wanted.insert(wanted.end(), change.to.begin(), change.to.end());
  }
  const std::vector<AxisId> first_held = held, first_wanted = wanted;
  append_missing(held, first_wanted);
  append_missing(wanted, first_held);
  ExchangeSpec spec = begin_exchange(shards.context, ExchangeSpec::Kind::permute, held, x, y);
  for (AxisId axis : held) spec.held.push_back(axis.index);
  for (AxisId axis : wanted) spec.wanted.push_back(axis.index);
  fill_block(spec, x, y);
  return Exchanges{spec};
}

}  // namespace mtfc::bind
