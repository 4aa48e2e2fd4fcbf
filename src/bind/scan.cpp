// Along whole dimensions: windows and their adjoint, running sums, the largest.
#include "bind/bind_rules.h"
#include "support/check.h"

namespace mtfc::bind {
namespace {

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
      const int index = position(y.dims(), term.dim);
      MTFC_CHECK(index >= 0, "a window lacks one of its positions");
      bound.scales[static_cast<std::size_t>(index)] = term.scale;
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

Bound bind_rule(const Window& kind, const Shards& shards) {
  runtime::WindowSpec spec = window(kind.items, shards.operands.at(0), shards.results.at(0));
  spec.fill = kind.fill;
  return spec;
}

Bound bind_rule(const WindowAdd& kind, const Shards& shards) {
  const ShardView &y = shards.operands.at(0), &x = shards.results.at(0);
  return runtime::WindowAddSpec{window(kind.items, x, y), x.elements()};
}

Bound bind_rule(const PrefixSum& prefix, const Shards& shards) {
  const ShardView& x = shards.operands.at(0);
  const Around around(x, prefix.dim);
  return runtime::PrefixSumSpec{x.dtype(),    around.outer,     around.length,
                                around.inner, prefix.exclusive, prefix.reverse};
}

Bound bind_rule(const TopK& top, const Shards& shards) {
  const ShardView &x = shards.operands.at(0), &y = shards.results.at(0);
  const Around around(x, top.dim);
  return runtime::TopKSpec{x.dtype(), around.outer,    around.length,
                           top.first, y.extent(top.k), around.inner};
}

}  // namespace mtfc::bind
