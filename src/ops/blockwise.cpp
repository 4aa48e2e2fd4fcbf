#include "ops/blockwise.h"

#include "ir/stage_meshes.h"

namespace mtfc::ops {

const std::vector<AxisId>& Blockwise::axes(DimId dim) const {
  const Assignment::Scope::Split* split = assignment_.find(build.role.scopes, dim);
  return split ? split->axes : assignment_.axes(dim);
}

Assignment::Entry Blockwise::entry(DimId dim) const {
  const Assignment::Scope::Split* split = assignment_.find(build.role.scopes, dim);
  return split ? Assignment::Entry{split->axes, -1, split->cause} : assignment_.entry(dim);
}

std::int64_t Blockwise::count(DimId dim) const { return shards_over(assignment_, axes(dim)); }

DimId Blockwise::fresh_dim(const std::string& name, std::int64_t size, Assignment::Entry entry) {
  Dim dim;
  dim.name = name;
  dim.size = size;
  return assignment_.add_dim(table_, std::move(dim), std::move(entry));
}

const Blocks& Blockwise::blocks(DimId dim) {
  const auto [it, fresh] = blocks_.try_emplace({dim, axes(dim)});
  if (!fresh) return it->second;
  Blocks& b = it->second;
  b.count = count(dim);
  b.size = dims.size(dim) / b.count;
  b.number = fresh_dim(dims[dim].name + "_block", b.count, entry(dim));
  b.within = fresh_dim(dims[dim].name + "_within", b.size);
  return b;
}

ValueId Blockwise::apart(ValueId x, DimId dim) {
  const Blocks& b = blocks(dim);
  return build.view(x, {{{dim}, {b.number, b.within}}});
}
ValueId Blockwise::together(ValueId x, DimId dim) {
  const Blocks& b = blocks(dim);
  return build.view(x, {{{b.number, b.within}, {dim}}});
}

}  // namespace mtfc::ops
