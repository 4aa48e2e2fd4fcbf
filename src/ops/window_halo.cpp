#include "ops/window_halo.h"

#include <algorithm>

#include "ops/concat.h"
#include "ops/slice.h"

namespace mtfc::ops {

namespace {

using Items = std::vector<WindowItem>;

/// How one item of a window is read from the own block and the neighbours' edges.
struct Halo {
  std::size_t item = 0;
  DimId dim, position;  // what is read, and the position that moves from block to block with it
  std::int64_t before = 0, after = 0;
};

/// `kept`: dimensions of what is read that no item indexes. A position among them is no other
/// index than that one, and stays where it is.
std::optional<Halo> halo_of(const Blockwise& b, std::size_t number, const WindowItem& item,
                            const DimList& kept) {
  Halo halo{number, item.dim, {}, 0, 0};
  const std::int64_t blocks = b.count(item.dim), block = b.dims.size(item.dim) / blocks;
  std::int64_t low = item.at.begin, high = low;
  for (const Affine::Term& term : item.at.terms) {
    const bool alike = b.are_split_alike(term.dim, item.dim) && !contains(kept, term.dim);
    std::int64_t size = b.dims.size(term.dim);
    if (alike && !halo.position.valid() && term.scale * (size / blocks) == block) {
      halo.position = term.dim;
      size /= blocks;
    }
    (term.scale < 0 ? low : high) += term.scale * (size - 1);
  }
  halo.before = std::max<std::int64_t>(0, -low);
  halo.after = std::max<std::int64_t>(0, high - (block - 1));
  const bool small = halo.before + halo.after < block;
  return halo.position.valid() && small ? std::optional(halo) : std::nullopt;
}

/// The first item along a split dimension whose positions are split alike and that reads little
/// beyond its own block.
std::optional<Halo> find_halo(const Blockwise& b, const Items& items, const DimList& read) {
  DimList kept = read;
  for (const WindowItem& item : items) kept = without(kept, {item.dim});
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!b.is_split(items[i].dim)) continue;
    if (const auto halo = halo_of(b, i, items[i], kept)) return halo;
  }
  return std::nullopt;
}

/// What a halo makes of a window: the dimension with its edges, and the items along it.
struct Extended {
  Blocks at;     // of the position
  DimId within;  // of what is read
  DimId before, after, whole;
  Items items;
};

Extended extended(Blockwise& b, const Halo& halo, const Items& items) {
  Extended e;
  e.at = b.blocks(halo.position);
  const Blocks read = b.blocks(halo.dim);
  e.within = read.within;
  const std::string& name = b.dims[halo.dim].name;
  if (halo.before > 0) e.before = b.fresh_dim(name + "_before", halo.before);
  if (halo.after > 0) e.after = b.fresh_dim(name + "_after", halo.after);
  e.whole = b.fresh_dim(name + "_extended", halo.before + read.size + halo.after);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool own = i == halo.item;
    WindowItem item{own ? e.whole : items[i].dim, {items[i].at.begin, {}}};
    if (own) item.at.begin += halo.before;
    for (const Affine::Term& term : items[i].at.terms) {
      if (term.dim != halo.position) {
        item.at.terms.push_back(term);
        continue;
      }
      if (!own) item.at.terms.push_back({e.at.number, term.scale * e.at.size});
      item.at.terms.push_back({e.at.within, term.scale});
    }
    e.items.push_back(std::move(item));
  }
  return e;
}

/// What block i + by holds, in block i.
ValueId neighbour(Builder& build, ValueId x, DimId block, std::int64_t by, double fill) {
  return build.window(x, {{block, {by, {{block, 1}}}}}, fill);
}

/// The blocks of x with the neighbours' edges around them.
ValueId with_edges(Blockwise& b, ValueId x, const Halo& halo, const Extended& e, double fill) {
  Builder& build = b.build;
  const ValueId own = build.view(x, {{{halo.dim}, {e.at.number, e.within}}});
  std::vector<ValueId> values;
  DimList parts;
  const auto add = [&](ValueId value, DimId part) {
    values.push_back(value);
    parts.push_back(part);
  };
  if (e.before.valid()) {
    const std::int64_t begin = b.dims.size(e.within) - halo.before;
    const ValueId edge = build.slice(own, e.within, begin, e.before);
    add(neighbour(build, edge, e.at.number, -1, fill), e.before);
  }
  add(own, e.within);
  if (e.after.valid()) {
    const ValueId edge = build.slice(own, e.within, 0, e.after);
    add(neighbour(build, edge, e.at.number, 1, fill), e.after);
  }
  return values.size() == 1 ? build.view(own, {{{e.within}, {e.whole}}})
                            : concat(build, values, parts, e.whole);
}

}  // namespace

ValueId window_of_blocks(Blockwise& b, ValueId x, const Items& items, double fill) {
  const auto halo = find_halo(b, items, b.build.type(x).dims);
  if (!halo) return {};
  const Extended e = extended(b, *halo, items);
  const ValueId whole = with_edges(b, x, *halo, e, fill);
  const ValueId inner = window_of_blocks(b, whole, e.items, fill);
  return b.together(inner.valid() ? inner : b.build.window(whole, e.items, fill), halo->position);
}

/// What was read from a neighbour's edge is added there.
ValueId window_add_of_blocks(Blockwise& b, ValueId y, const Items& items, const DimList& to) {
  const auto halo = find_halo(b, items, to);
  if (!halo) return {};
  Builder& build = b.build;
  const Extended e = extended(b, *halo, items);
  DimList whole;
  for (DimId dim : to) {
    if (dim == halo->dim) whole.push_back(e.at.number);
    whole.push_back(dim == halo->dim ? e.whole : dim);
  }
  const ValueId v = b.apart(y, halo->position);
  const ValueId inner = window_add_of_blocks(b, v, e.items, whole);
  const ValueId sums =
      inner.valid() ? inner : build.apply("window_add", {v}, {{"items", e.items}, {"to", whole}});
  ValueId own = build.slice(sums, e.whole, halo->before, e.within);
  const auto add_edge = [&](DimId edge, std::int64_t begin, std::int64_t by,
                            std::int64_t to_begin) {
    if (!edge.valid()) return;
    const ValueId theirs =
        neighbour(build, build.slice(sums, e.whole, begin, edge), e.at.number, by, 0);
    own = build.binary("add", own, pad(build, theirs, edge, to_begin, e.within));
  };
  const std::int64_t size = b.dims.size(e.within);
  add_edge(e.before, 0, 1, size - halo->before);
  add_edge(e.after, halo->before + size, -1, 0);
  return build.view(own, {{{e.at.number, e.within}, {halo->dim}}});
}

}  // namespace mtfc::ops
