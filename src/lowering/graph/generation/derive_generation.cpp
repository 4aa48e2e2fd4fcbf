#include "lowering/graph/generation/derive_generation.h"

#include "lowering/graph/generation/generation_rewriter.h"
#include "lowering/graph/rewrite.h"
#include "ops/slice.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

using program_names::of_window;

constexpr std::int64_t kSmallestWindow = 64;

/// What all programs know of one kept value.
struct Kept {
  ValueId value;
  DimId position;  // d, or the copy
};

std::vector<Kept> kept_values(const Cut& cut, const Positions& positions) {
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < positions.kept.size(); ++i) {
    if (!positions.kept[i]) continue;
    const ValueId value{static_cast<std::int32_t>(i)};
    for (DimId dim : cut.graph.at(value).type.dims)
      if (positions.is_position(dim, cut.over)) kept.push_back({value, dim});
  }
  return kept;
}

Graph all_positions(Store& store, const GenerationWindow& window) {
  Graph graph(of_window(program_names::prefill, window.size));
  GenerationRewriter(store, window, graph).all_positions();
  return graph;
}

Graph one_position(Store& store, const GenerationWindow& window) {
  Graph graph(of_window(program_names::step, window.size));
  GenerationRewriter(store, window, graph).one_position();
  return graph;
}

/// The caches of a smaller window, with room for more.
Graph grow(Store& store, const std::vector<Kept>& kept, const GenerationWindow& before,
           const GenerationWindow& after) {
  Graph graph(of_window(program_names::grow, after.size));
  ops::Builder build(graph, store.model().dims);
  for (const Kept& k : kept) {
    const Variable from = store.cache(k.value, before), to = store.cache(k.value, after);
    const ValueId x = build.read(from.path, from.type);
    const ValueId y =
        ops::pad(build, x, renamed(before.dims, k.position), 0, renamed(after.dims, k.position));
    graph.outputs.push_back({Output::Kind::variable, to.path, y});
  }
  return graph;
}

/// The caches with the texts in the order that is fed.
Graph reorder(Store& store, const std::vector<Kept>& kept, const GenerationWindow& window,
              DimId rows) {
  Graph graph(of_window(program_names::reorder, window.size));
  ops::Builder build(graph, store.model().dims);
  // Under another name: a look-up may not have its own dimension twice on one mesh axis.
  const DimId fresh = store.unsplit(rows);
  const ValueId order = build.input(feed_names::order_of_rows, {DType::i32, {fresh}});
  const auto reordered = [&](const Variable& cache) {
    if (!contains(cache.type.dims, rows)) return;
    const ValueId x = build.read(cache.path, cache.type);
    const ValueId y = build.gather(x, {rows}, {order}, 0);
    graph.outputs.push_back(
        {Output::Kind::variable, cache.path, build.view(y, {{{fresh}, {rows}}})});
  };
  for (const Kept& k : kept) reordered(store.cache(k.value, window));
  const std::vector<bool>& carried = store.positions().carried;
  for (std::size_t i = 0; i < carried.size(); ++i)
    if (carried[i]) reordered(store.carry(ValueId{static_cast<std::int32_t>(i)}));
  return graph;
}

/// What the other programs read of what does not depend on the ids.
Graph fixed_values(Store& store) {
  Graph graph(program_names::generate_fixed);
  ops::Builder build(graph, store.model().dims);
  Copier copier(store.cut().graph, build);
  for (const auto& [value, variable] : store.all_fixed())
    graph.outputs.push_back(
        {Output::Kind::variable, store.model().variables[variable].path, copier.copy(value)});
  return graph;
}

/// Without a rule nothing is known of positions: ids in, logits out.
Positions without_positions(const Cut& cut, const DimTable& dims) {
  Positions positions = find_positions(cut, dims);
  positions.copies.clear();
  positions.kept.assign(positions.kept.size(), false);
  positions.carried.assign(positions.carried.size(), false);
  positions.stages.assign(positions.stages.size(), Stage::fixed);
  for (const Operation& op : cut.graph.ops) {
    bool depends = op.results[0] == cut.tokens;
    for (ValueId operand : op.operands)
      depends = depends || positions.stages[operand.at()] != Stage::fixed;
    for (ValueId result : op.results)
      if (depends) positions.stages[result.at()] = Stage::at;
  }
  return positions;
}

}  // namespace

std::optional<Obstacle> find_obstacle(const Model& model) {
  return find_positions(cut_at_tokens(model), model.dims).obstacle;
}

bool check_generation(const Model& model, Diagnostics& diagnostics) {
  if (!model.generation) return true;
  const auto obstacle = find_obstacle(model);
  if (!obstacle) return true;
  diagnostics.report(
      diag(DiagKind::computed_in_full, "generation recomputes every token")
          .at(obstacle->span, "not known position by position")
          .note(obstacle->why)
          .also(model.generation->span, "needed to generate")
          .note("of each operation it must be seen that a position needs no later ones; "
                "`mtfc explain W330` says how"));
  return false;
}

std::vector<std::int64_t> generation_windows(const Model& model, const Assignment& assignment) {
  const DimId over = model.generation->over;
  const std::int64_t size = model.dims.size(over);
  const Cut cut = cut_at_tokens(model);
  const Positions positions = find_positions(cut, model.dims);
  std::int64_t shards = 1;  // a multiple of what every axis needs
  for (std::size_t i = 0; i <= positions.copies.size(); ++i) {
    const DimId dim = i == 0 ? over : positions.copies[i - 1];
    shards *= assignment.mesh.size(assignment.axes(dim));
  }
  std::vector<std::int64_t> windows;
  if (!positions.obstacle)
    for (std::int64_t w = kSmallestWindow; w < size; w *= 2)
      if (w % shards == 0) windows.push_back(w);
  windows.push_back(size);
  return windows;
}

std::vector<Graph> derive_generation(Model& model, Assignment& assignment,
                                     const GenerationRequest& request) {
  const Cut cut = cut_at_tokens(model);
  const Positions positions =
      request.incremental ? find_positions(cut, model.dims) : without_positions(cut, model.dims);
  Store store(model, assignment, cut, positions);
  const std::vector<Kept> kept = kept_values(cut, positions);
  std::vector<Graph> graphs;
  std::optional<GenerationWindow> before;
  for (const std::int64_t size : request.windows) {
    const GenerationWindow window = store.window(size);
    graphs.push_back(all_positions(store, window));
    if (request.incremental) {
      graphs.push_back(one_position(store, window));
      if (before) graphs.push_back(grow(store, kept, *before, window));
      if (request.beams) graphs.push_back(reorder(store, kept, window, model.generation->rows));
    }
    before = window;
  }
  if (!store.all_fixed().empty()) graphs.push_back(fixed_values(store));
  return graphs;
}

}  // namespace mtfc::lowering
