#include "lowering/graph/generation/positions.h"
#include "lowering/graph/rewrite.h"
#include "ops/inputs.h"
#include "ops/window.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

ValueId find_tokens(const Graph& graph) {
  for (const Operation& op : graph.ops)
    if (const std::string* name = ops::input_name(op); name && *name == feed_names::generated_ids)
      return op.results[0];
  return {};
}

bool reads_along(const Operation& op, DimId over) {
  const auto* items = ops::window_items(op);
  if (!items) return false;
  for (const WindowItem& item : *items) {
    if (item.dim == over) return true;
    for (const Affine::Term& term : item.at.terms)
      if (term.dim == over) return true;
  }
  return false;
}

/// Windows along the positions as look-ups: of those a step reads one entry.
Graph with_look_ups(const Graph& graph, const DimTable& dims, DimId over) {
  Graph result(graph.name);
  ops::Builder build(result, dims);
  Copier copier(graph, build);
  copier.copy_all([&](const Operation& op) {
    return reads_along(op, over) ? ops::window_as_gather(build, op, copier.copy(op.operands[0]))
                                 : ValueId();
  });
  return result;
}

}  // namespace

Cut cut_at_tokens(const Model& model) {
  const Generation& wanted = *model.generation;
  Graph graph("generate");
  ops::Builder build(graph, model.dims);
  Copier copier(model.eval, build);
  const ValueId tokens = build.input(feed_names::generated_ids, model.eval.at(wanted.tokens).type);
  build.set_name(tokens, model.eval.at(wanted.tokens).name);
  copier.replace(wanted.tokens, tokens);
  graph.outputs = {{Output::Kind::tensor, "logits", copier.copy(wanted.logits)}};
  Cut cut;
  graph = expand(share_operations(graph, model.dims), model.dims, false);
  cut.graph = share_operations(with_look_ups(graph, model.dims, wanted.over), model.dims);
  cut.tokens = find_tokens(cut.graph);
  cut.logits = cut.graph.outputs[0].value;
  cut.over = wanted.over;
  return cut;
}

}  // namespace mtfc::lowering
