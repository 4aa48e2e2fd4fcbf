// Table look-ups: gather and its adjoint.
#include "bind/bind_rules.h"
#include "support/check.h"

namespace mtfc::bind {
namespace {

/// `space` is iterated over; `table` is the tensor that is looked into, `dims` what is indexed.
runtime::GatherSpec lookup(const DimList& dims, const Shards& shards, const ShardView& space,
                           const ShardView& table) {
  runtime::GatherSpec spec;
  spec.dtype = table.dtype();
  spec.extents = space.extents();
  // A dimension of the result that is also indexed comes from the index tensor, not from the table.
  for (DimId dim : space.dims())
    spec.x_strides.push_back(contains(dims, dim) ? 0 : table.stride(dim));
  for (DimId dim : table.dims())
    MTFC_CHECK(contains(dims, dim) || (space.has(dim) && space.extent(dim) == table.extent(dim)),
               "shards of a look-up do not fit");
  for (std::size_t j = 0; j < dims.size(); ++j) {
    const ShardView& index = shards.operands.at(j + 1);
    runtime::GatherSpec::Index bound;
    for (DimId dim : space.dims()) bound.strides.push_back(index.stride(dim));
    for (DimId dim : index.dims())
      MTFC_CHECK(space.has(dim) && space.extent(dim) == index.extent(dim),
                 "shards of an index do not fit");
    bound.x_stride = table.stride(dims[j]);
    bound.extent = table.extent(dims[j]);
    bound.global_extent = shards.context.dims.size(dims[j]);
    bound.begin = table.begin(dims[j]);
    spec.indices.push_back(std::move(bound));
  }
  return spec;
}

runtime::ScatterAddSpec scattering(const DimList& dims, const Shards& shards) {
  const ShardView& y = shards.results.at(0);
  return {lookup(dims, shards, shards.operands.at(0), y), y.elements()};
}

}  // namespace

Bound bind_rule(const Gather& gather, const Shards& shards) {
  runtime::GatherSpec spec =
      lookup(gather.dims, shards, shards.results.at(0), shards.operands.at(0));
  spec.fill = gather.fill;
  return spec;
}

Bound bind_rule(const ScatterAdd& scatter, const Shards& shards) {
  return scattering(scatter.dims, shards);
}

Bound bind_rule(const AddAt& add, const Shards& shards) {
  return runtime::AddAtSpec{scattering({add.dim}, shards)};
}

Bound bind_rule(const Put& put, const Shards& shards) {
  const ShardView &y = shards.results.at(0), &x = shards.operands.at(1);
  runtime::PutSpec spec;
  spec.element_size = size_of(y.dtype());
  for (DimId dim : y.dims()) {
    if (dim == put.dim) continue;
    MTFC_CHECK(x.has(dim) && x.extent(dim) == y.extent(dim), "shards of an entry do not fit");
    spec.extents.push_back(y.extent(dim));
    spec.x_strides.push_back(x.stride(dim));
    spec.y_strides.push_back(y.stride(dim));
  }
  spec.y_stride = y.stride(put.dim);
  spec.extent = y.extent(put.dim);
  spec.begin = y.begin(put.dim);
  spec.y_size = y.elements();
  return spec;
}

}  // namespace mtfc::bind
