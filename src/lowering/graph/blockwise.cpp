#include "lowering/graph/blockwise.h"

#include <algorithm>
#include <map>

#include "lowering/graph/rewrite.h"

namespace mtfc::lowering {

namespace {

using Items = std::vector<WindowItem>;

/// A split dimension taken apart.
struct Blocks {
  DimId number, within;
  std::int64_t count = 1, size = 1;
};

class BlockwiseRewriter {
 public:
  BlockwiseRewriter(const Graph& graph, DimTable& dims, Placement& placement)
      : graph_(graph), dims_(dims), placement_(placement), build_(result_, dims) {
    result_.name = graph.name;
  }

  Graph run() {
    Copier copier(graph_, build_);
    for (const Operation& op : graph_.ops) {
      ValueId made;
      if (!op.operands.empty()) {
        build_.origin = op.origin;
        made = rewritten(op, copier.copy(op.operands[0]));
      }
      if (!made.valid()) {
        copier.copy_operation(op);
        continue;
      }
      made = build_.broadcast(made, graph_.at(op.results[0]).type.dims);
      build_.set_name(made, graph_.at(op.results[0]).name);
      copier.replace(op.results[0], made);
    }
    for (const Output& output : graph_.outputs)
      result_.outputs.push_back({output.kind, output.name, copier.copy(output.value)});
    return std::move(result_);
  }

 private:
  ValueId rewritten(const Operation& op, ValueId x) {
    if (op.op == "cumsum") return cumsum(op, x);
    if (op.op == "top_places") return top_places(op, x);
    if (op.op == "window") {
      const Items& items = op.attrs.windows("items");
      if (find_halo(items)) return window(x, items, op.attrs.number("fill"));
    }
    if (op.op == "window_add") {
      const Items& items = op.attrs.windows("items");
      if (find_halo(items)) return window_add(x, items, op.attrs.dims("to"));
    }
    return {};
  }

  // ---------------------------------------------------------------- blocks
  DimId fresh_dim(const std::string& name, std::int64_t size) {
    Dim dim;
    dim.name = name;
    dim.size = size;
    placement_.dims.resize(dims_.size());
    placement_.dims.emplace_back();
    return dims_.add(std::move(dim));
  }

  const Blocks& blocks_of(DimId dim) {
    const auto [it, fresh] = blocks_.try_emplace(dim);
    if (!fresh) return it->second;
    Blocks& b = it->second;
    b.count = count(dim);
    b.size = dims_.size(dim) / b.count;
    const Placement::Entry entry = placement_.dims[dim.at()];
    b.number = fresh_dim(dims_[dim].name + "_block", b.count);
    placement_.dims[b.number.at()] = entry;
    b.within = fresh_dim(dims_[dim].name + "_within", b.size);
    return b;
  }
  bool is_split(DimId dim) const { return !placement_.axes(dim).empty(); }
  std::int64_t count(DimId dim) const {
    std::int64_t blocks = 1;
    for (AxisId axis : placement_.axes(dim)) blocks *= placement_.mesh.size(axis);
    return blocks;
  }

  ValueId apart(ValueId x, DimId dim, const Blocks& b) {
    return build_.view(x, {{{dim}, {b.number, b.within}}});
  }
  ValueId together(ValueId x, DimId dim, const Blocks& b) {
    return build_.view(x, {{{b.number, b.within}, {dim}}});
  }

  // ---------------------------------------------------------------- sums and ranks
  /// Sums within each block, and on top of them those of the blocks before (after) it.
  ValueId cumsum(const Operation& op, ValueId x) {
    const DimId dim = op.attrs.dims("dim")[0];
    if (!is_split(dim)) return {};
    const bool reverse = op.attrs.flag("reverse");
    const Blocks& b = blocks_of(dim);
    const ValueId v = apart(x, dim, b);
    const ValueId inside = build_.cumsum(v, b.within, op.attrs.flag("exclusive"), reverse);
    const ValueId totals = build_.reduce(Combine::sum, v, {b.within});
    const ValueId others = build_.cumsum(totals, b.number, true, reverse);
    return together(build_.binary("add", inside, others), dim, b);
  }

  /// The largest of each block, then the largest among these.
  ValueId top_places(const Operation& op, ValueId x) {
    const DimId dim = op.attrs.dims("dim")[0], ranks = op.attrs.dims("ranks")[0];
    const std::int64_t rank = op.attrs.integer("first", 0);
    const std::int64_t wanted = rank + dims_.size(ranks);
    if (!is_split(dim) || 2 * wanted > dims_.size(dim) / count(dim)) return {};
    const Blocks& b = blocks_of(dim);
    const DimId first = fresh_dim(dims_[ranks].name + "_first", wanted);
    const DimId all = fresh_dim(dims_[ranks].name + "_of_blocks", b.count * wanted);
    const ValueId v = apart(x, dim, b);
    const ValueId places = build_.top_places(v, b.within, first);
    const ValueId values = build_.gather(v, {b.within}, {places}, 0);
    const ValueId size = build_.constant(static_cast<double>(b.size), DType::i32);
    const ValueId begins = build_.binary("mul", build_.index(b.number), size);
    const ValueId global = build_.binary("add", places, begins);
    const auto joined = [&](ValueId y) { return build_.view(y, {{{b.number, first}, {all}}}); };
    const ValueId best = build_.top_places(joined(values), all, ranks, rank);
    return build_.gather(joined(global), {all}, {best}, 0);
  }

  // ---------------------------------------------------------------- windows
  /// How one item of a window is read from the own block and the neighbours' edges.
  struct Halo {
    std::size_t item = 0;
    DimId dim, position;  // what is read, and the position that moves from block to block with it
    std::int64_t before = 0, after = 0;
  };

  /// The first item along a split dimension whose positions are split alike and that reads little
  /// beyond its own block.
  std::optional<Halo> find_halo(const Items& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!is_split(items[i].dim)) continue;
      if (const auto halo = halo_of(i, items[i])) return halo;
    }
    return std::nullopt;
  }

  std::optional<Halo> halo_of(std::size_t number, const WindowItem& item) {
    Halo halo{number, item.dim, {}, 0, 0};
    const std::int64_t blocks = count(item.dim), block = dims_.size(item.dim) / blocks;
    std::int64_t low = item.at.begin, high = low;
    for (const Affine::Term& term : item.at.terms) {
      const bool alike = placement_.axes(term.dim) == placement_.axes(item.dim);
      std::int64_t size = dims_.size(term.dim);
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

  /// What a halo makes of a window: the dimension with its edges, and the items along it.
  struct Extended {
    Blocks at;     // of the position
    DimId within;  // of what is read
    DimId before, after, whole;
    Items items;
  };
  Extended extended(const Halo& halo, const Items& items) {
    Extended e;
    e.at = blocks_of(halo.position);
    const Blocks b = blocks_of(halo.dim);
    e.within = b.within;
    const std::string& name = dims_[halo.dim].name;
    if (halo.before > 0) e.before = fresh_dim(name + "_before", halo.before);
    if (halo.after > 0) e.after = fresh_dim(name + "_after", halo.after);
    e.whole = fresh_dim(name + "_extended", halo.before + b.size + halo.after);
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
  ValueId neighbour(ValueId x, DimId block, std::int64_t by, double fill) {
    return build_.window(x, {{block, {by, {{block, 1}}}}}, fill);
  }

  ValueId window(ValueId x, const Items& items, double fill) {
    const auto halo = find_halo(items);
    if (!halo) return build_.window(x, items, fill);
    const Extended e = extended(*halo, items);
    const ValueId own = build_.view(x, {{{halo->dim}, {e.at.number, e.within}}});
    std::vector<ValueId> values;
    DimList parts;
    const auto add = [&](ValueId value, DimId part) {
      values.push_back(value);
      parts.push_back(part);
    };
    if (e.before.valid()) {
      const std::int64_t begin = dims_.size(e.within) - halo->before;
      const ValueId edge = build_.slice(own, e.within, begin, e.before);
      add(neighbour(edge, e.at.number, -1, fill), e.before);
    }
    add(own, e.within);
    if (e.after.valid()) {
      const ValueId edge = build_.slice(own, e.within, 0, e.after);
      add(neighbour(edge, e.at.number, 1, fill), e.after);
    }
    const ValueId whole = values.size() == 1 ? build_.view(own, {{{e.within}, {e.whole}}})
                                             : build_.concat(values, parts, e.whole);
    return together(window(whole, e.items, fill), halo->position, e.at);
  }

  /// The adjoint: what was read from a neighbour's edge is added there.
  ValueId window_add(ValueId y, const Items& items, const DimList& to) {
    const auto halo = find_halo(items);
    if (!halo) return build_.apply("window_add", {y}, {{"items", items}, {"to", to}});
    const Extended e = extended(*halo, items);
    DimList whole;
    for (DimId dim : to) {
      if (dim == halo->dim) whole.push_back(e.at.number);
      whole.push_back(dim == halo->dim ? e.whole : dim);
    }
    const ValueId sums = window_add(apart(y, halo->position, e.at), e.items, whole);
    ValueId own = build_.slice(sums, e.whole, halo->before, e.within);
    const auto add_edge = [&](DimId edge, std::int64_t begin, std::int64_t by,
                              std::int64_t to_place) {
      if (!edge.valid()) return;
      const ValueId theirs =
          neighbour(build_.slice(sums, e.whole, begin, edge), e.at.number, by, 0);
      const ValueId padded =
          build_.apply("pad", {theirs},
                       {{"dim", DimList{e.within}}, {"fresh", DimList{edge}}, {"begin", to_place}});
      own = build_.binary("add", own, padded);
    };
    const std::int64_t size = dims_.size(e.within);
    add_edge(e.before, 0, 1, size - halo->before);
    add_edge(e.after, halo->before + size, -1, 0);
    return build_.view(own, {{{e.at.number, e.within}, {halo->dim}}});
  }

  const Graph& graph_;
  DimTable& dims_;
  Placement& placement_;
  Graph result_;
  ops::Builder build_;
  std::map<DimId, Blocks> blocks_;
};

}  // namespace

Graph work_blockwise(const Graph& graph, DimTable& dims, Placement& placement) {
  const auto needs_whole = [](const Operation& op) {
    return op.op == "cumsum" || op.op == "top_places" || op.op == "window" || op.op == "window_add";
  };
  if (std::none_of(graph.ops.begin(), graph.ops.end(), needs_whole)) return graph;
  return BlockwiseRewriter(graph, dims, placement).run();
}

}  // namespace mtfc::lowering
