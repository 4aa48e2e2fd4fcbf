#include "lowering/decode/positions.h"
#include "lowering/rewrite.h"

namespace mtfc::lowering {

// No input of a model has a dot in its name.
const char* const tokens_feed = "generate.tokens";

namespace {

ValueId find_tokens(const Graph& graph) {
  for (const Operation& op : graph.ops)
    if (op.op == "input" && op.attrs.text("name") == tokens_feed) return op.results[0];
  return {};
}

}  // namespace

Cut cut_at_tokens(const Model& model) {
  const Generation& wanted = *model.generation;
  Graph graph{"generate", {}, {}, {}};
  ops::Builder build(graph, model.dims);
  Copier copier(model.eval, build);
  const ValueId tokens = build.input(tokens_feed, model.eval.at(wanted.tokens).type);
  build.set_name(tokens, model.eval.at(wanted.tokens).name);
  copier.replace(wanted.tokens, tokens);
  graph.outputs = {{Output::Kind::tensor, "logits", copier.copy(wanted.logits)}};
  Cut cut;
  cut.graph =
      share_and_prune(expand(share_and_prune(graph, model.dims), model.dims, false), model.dims);
  cut.tokens = find_tokens(cut.graph);
  cut.logits = cut.graph.outputs[0].value;
  cut.over = wanted.over;
  return cut;
}

}  // namespace mtfc::lowering
