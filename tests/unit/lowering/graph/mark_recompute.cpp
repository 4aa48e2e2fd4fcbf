// Which iterations a layout computes again.
#include "lowering/graph/mark_recompute.h"

#include <catch2/catch.hpp>
#include <set>

#include "ir/iterations.h"
#include "unit/lowering/lab.h"

namespace lowering_graph_mark_recompute_test {

using namespace lowering_lab;

namespace {

const std::string kText =
    "dim batch = 8, d = 16, layers = 12, more = 2\n"
    "input x[batch, d] from gaussian(seed=1)\n"
    "block layer(x) { param w[d', d] ~ normal(0.3)\n"
    "  return tanh(einsum(x[d -> d'], w over d')) }\n"
    "h = x\n"
    "repeat layers { h = layer(h) }\n"
    "repeat more { h = layer(h) }\n"
    "loss mean(h)\n";

/// The blocks whose operations are tagged.
std::set<std::string> marked(const LoweringOptions& options,
                             const std::optional<Stages>& stages = {}) {
  Model model = model_of(kText);
  lowering::mark_recompute(model, options, stages);
  std::set<std::string> blocks;
  for (const Operation& op : model.train.ops)
    if (op.role.recompute != 0) blocks.emplace(iteration_of(op.role.block.str()));
  return blocks;
}

LoweringOptions full(std::int32_t iterations) {
  LoweringOptions options;
  options.recompute_full = true;
  options.recompute_iterations = iterations;
  return options;
}

}  // namespace

TEST_CASE("a layout computes the first iterations of each repeat again") {
  CHECK(most_iterations(model_of(kText).train) == 12);
  CHECK(marked(full(0)).size() == 14);
  CHECK(marked(full(12)).size() == 14);
  CHECK(marked(full(1)) == std::set<std::string>{"layers.0", "more.0"});
  // In the order of their numbers, not of their letters.
  const std::set<std::string> eleven = marked(full(11));
  CHECK(eleven.size() == 13);
  CHECK(!eleven.contains("layers.11"));
}

TEST_CASE("in a pipeline they are the first of each of its virtual stages") {
  Stages stages;
  stages.count = 2;
  for (int i = 0; i < 12; ++i) stages.blocks["layers." + std::to_string(i)] = i < 5 ? 0 : 1;
  CHECK(marked(full(2), stages) ==
        std::set<std::string>{"layers.0", "layers.1", "layers.5", "layers.6", "more.0", "more.1"});
}

}  // namespace lowering_graph_mark_recompute_test
