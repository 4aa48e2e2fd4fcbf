#include "kernels/indexed_rows.h"

#include <algorithm>

#include "kernels/plan_cache.h"

namespace mtfc::runtime {
namespace {

IndexedShape shape_of(const GatherSpec& spec) {
  IndexedShape shape;
  std::size_t rank = spec.extents.size();
  const auto even = [&](std::size_t d) {
    if (spec.x_strides[d] != shape.run && spec.extents[d] != 1) return false;
    return std::all_of(spec.indices.begin(), spec.indices.end(), [&](const auto& index) {
      return index.strides[d] == 0 || spec.extents[d] == 1;
    });
  };
  while (rank > 0 && even(rank - 1)) shape.run *= spec.extents[--rank];
  for (std::size_t d = 0; d < rank; ++d) {
    Dim dim{spec.extents[d], {spec.x_strides[d]}};
    for (const auto& index : spec.indices) dim.strides.push_back(index.strides[d]);
    shape.dims.push_back(dim);
  }
  shape.dims = merged(shape.dims);
  shape.rows = product(shape.dims);
  return shape;
}

}  // namespace

const IndexedShape& find_indexed_shape(const GatherSpec& spec) {
  thread_local Plans<IndexedShape> plans;
  SpecKey& key = plans.start();
  key.add(spec.extents);
  key.add(spec.x_strides);
  for (const auto& index : spec.indices) key.add(index.strides);
  return plans.find([&] { return shape_of(spec); });
}

}  // namespace mtfc::runtime
