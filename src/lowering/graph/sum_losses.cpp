#include "lowering/state/passes.h"
#include "ops/builder.h"

namespace mtfc::lowering {

namespace {

/// Losses of different types are summed in the wider one.
ValueId add(ops::Builder& build, ValueId a, ValueId b) {
  const DType sum = wider(build.type(a).dtype, build.type(b).dtype).value_or(DType::f32);
  const ValueId right = build.cast(b, sum);
  return build.binary("add", build.cast(a, sum), right);
}

void sum_losses(Graph& graph, const DimTable& dims) {
  ops::Builder build(graph, dims);
  std::vector<Output> others, losses;
  ValueId total;
  for (const Output& output : graph.outputs) {
    if (output.kind != Output::Kind::loss) {
      others.push_back(output);
      continue;
    }
    build.follow(graph.producer(output.value));
    total = total.valid() ? add(build, total, output.value) : output.value;
    losses.push_back(output);
  }
  if (!total.valid()) return;
  graph.outputs = {{Output::Kind::loss, "loss", total}};
  for (const Output& loss : losses) {
    if (loss.name != "loss") graph.outputs.push_back(loss);
  }
  graph.outputs.insert(graph.outputs.end(), others.begin(), others.end());
}

}  // namespace

void sum_losses(State& s) {
  for (Graph* graph : {&s.model.train, &s.model.eval, &s.model.microbatch.graph})
    sum_losses(*graph, s.model.dims);
}

}  // namespace mtfc::lowering
