// Along whole dimensions: windows and their adjoint, running sums, places of the largest, joining.
#include "bind/bind_rules.h"
#include "support/check.h"

namespace mtfc::backends {
namespace {

bool is_indexed(const std::vector<WindowItem>& items, DimId dim) {
  for (const WindowItem& item : items)
    if (item.dim == dim) return true;
  return false;
}

/// `x` is what is read in windows, `y` has the positions.
runtime::WindowSpec window(const std::vector<WindowItem>& items, const ShardView& x,
                           const ShardView& y) {
  runtime::WindowSpec spec;
  spec.dtype = y.dtype();
  spec.extents = y.extents();
  for (DimId dim : y.dims()) spec.x_strides.push_back(is_indexed(items, dim) ? 0 : x.stride(dim));
  for (const WindowItem& item : items) {
    runtime::WindowSpec::Item bound;
    bound.x_stride = x.stride(item.dim);
    bound.extent = x.extent(item.dim);
    bound.begin.base = item.at.begin;
    bound.scales.assign(y.dims().size(), 0);
    for (const Affine::Term& term : item.at.terms) {
      const int place = position(y.dims(), term.dim);
      MTFC_CHECK(place >= 0, "a window lacks one of its positions");
      bound.scales[static_cast<std::size_t>(place)] = term.scale;
      for (const runtime::Offset::Term& step : y.begin(term.dim).terms)
        bound.begin.terms.push_back({step.axis, step.step * term.scale});
    }
    spec.items.push_back(std::move(bound));
  }
  return spec;
}

/// Elements before and after a dimension, in storage order.
struct Around {
  std::int64_t outer = 1, length = 1, inner = 1;
  Around(const ShardView& x, DimId dim) : length(x.extent(dim)), inner(x.stride(dim)) {
    outer = x.elements() / (length * inner);
  }
};

}  // namespace

runtime::WindowSpec bind_window(const Window& kind, const Shards& shards) {
  runtime::WindowSpec spec = window(kind.items, shards.operands.at(0), shards.results.at(0));
  spec.fill = kind.fill;
  return spec;
}

runtime::WindowAddSpec bind_window_add(const WindowAdd& kind, const Shards& shards) {
  const ShardView &y = shards.operands.at(0), &x = shards.results.at(0);
  return {window(kind.items, x, y), x.elements()};
}

runtime::PrefixSpec bind_prefix_sum(const PrefixSum& prefix, const Shards& shards) {
  const ShardView& x = shards.operands.at(0);
  const Around around(x, prefix.dim);
  return {x.dtype(), around.outer, around.length, around.inner, prefix.exclusive, prefix.reverse};
}

runtime::TopSpec bind_top_places(const TopPlaces& top, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  const Around around(x, top.dim);
  return {x.dtype(), around.outer, around.length, top.first, y.extent(top.ranks), around.inner};
}

CopyList bind_concat(const Concat& concat, const Shards& shards) {
  const ShardView& y = shards.results.at(0);
  CopyList copies;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < shards.operands.size(); ++i) {
    const ShardView& x = shards.operands[i];
    const DimId part = concat.parts.empty() ? DimId{} : concat.parts[i];
    runtime::CopySpec copy;
    copy.element_size = size_of(x.dtype());
    copy.y_size = y.elements();
    for (DimId dim : y.dims()) {
      if (dim == concat.dim && !part.valid()) continue;
      const DimId source = dim == concat.dim ? part : dim;
      copy.extents.push_back(x.extent(source));
      copy.x_strides.push_back(x.stride(source));
      copy.y_strides.push_back(y.stride(dim));
    }
    copy.y_base.base = begin * y.stride(concat.dim);
    begin += part.valid() ? x.extent(part) : 1;
    copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace mtfc::backends
