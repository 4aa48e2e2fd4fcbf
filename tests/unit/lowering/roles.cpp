// Origins are for people: without them the passes make the same program.
#include <catch2/catch.hpp>

#include "ir/text.h"
#include "lab.h"
#include "lowering/state_text.h"

using namespace lowering_lab;
using lowering::State;

namespace {

void strip(Graph& graph) {
  for (Operation& op : graph.ops) op.origin = {};
}

/// Everything a pass could read of where something comes from.
void strip(State& s) {
  for (Graph* g : {&s.model.init, &s.model.train, &s.model.eval, &s.model.microbatch.graph})
    strip(*g);
  for (Graph& graph : s.made.graphs) strip(graph);
  for (Program& program : s.made.module.programs)
    for (Instruction& instruction : program.instructions) instruction.origin = {};
}

std::string lowered(const Model& model, const Assignment& assignment, bool stripped) {
  State s = lowering::start(model, assignment, {});
  for (const lowering::Pass& pass : lowering::passes()) {
    if (stripped) strip(s);
    lowering::run(pass, s);
  }
  strip(s);
  return print(s.made.module);
}

/// Every pass goes on from its predecessor's text.
std::string lowered_by_text(const Model& model, const Assignment& assignment) {
  State s = lowering::start(model, assignment, {});
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, s);
    const std::string text = lowering::print(s, pass);
    s = lowering::start(model, assignment, {});
    std::string error;
    const lowering::Pass* found = lowering::read_state(text, s, error);
    INFO(pass.name << ": " << error);
    REQUIRE(found == &pass);
    REQUIRE(lowering::print(s, pass) == text);
    REQUIRE(lowering::verify(s, pass.stage) == "");
  }
  strip(s);
  return print(s.made.module);
}

struct Case {
  const char* what;
  std::string train;
  std::string settings;
  bool sharded = false, compressed = false;
};

std::string text_of(const Case& c) {
  return R"(
dim batch = 8, a = 6, h = 12, c = 4
input x[batch, a] from gaussian(seed=1)
input y[batch, c] from gaussian(seed=2)
param w[a, h] ~ normal(0.5)
param u[h, c] ~ normal(0.5)
param b[c] = 0
)" + c.train +
         "\nloss mean((z - y)^2)\ntrain { " + c.settings + "  steps = 2 }";
}

const std::string plain = "z = einsum(tanh(einsum(x, w over a)), u over h) + b";
const std::string again = "recompute { z = einsum(tanh(einsum(x, w over a)), u over h) + b }";

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"plain", plain, "optimizer = adamw(lr=0.1)"},
      {"sharded", plain, "optimizer = adamw(lr=0.1)  clip = 1", true},
      {"padded", plain, "optimizer = lamb(lr=0.1)", true, true},
      {"recompute", again, "optimizer = sgd(lr=0.1, momentum=0.9)", true},
      {"micro-batches", plain, "optimizer = adamw(lr=0.1)  clip = 1  microbatches = 2", true},
      {"loss scale", plain, "optimizer = adamw(lr=0.1)  precision = f16", true},
      {"all", again, "optimizer = adafactor()  precision = f16  microbatches = 2", true, true},
  };
  return list;
}

const std::vector<std::pair<Mesh, Rules>>& layouts() {
  static const std::vector<std::pair<Mesh, Rules>> list = {
      {{{}}, {}},
      {{{{"rows", 4}}}, {{"batch", "rows"}}},
      {{{{"rows", 2}, {"cols", 2}}}, {{"batch", "rows"}, {"h", "cols"}}},
  };
  return list;
}

template <class F>
void each_case(F&& check) {
  for (const Case& c : cases()) {
    const Model model = model_of(text_of(c));
    for (const auto& [mesh, rules] : layouts()) {
      Assignment assignment = place(model, mesh, rules);
      assignment.options.shard_update = c.sharded;
      assignment.options.compress_gradients = c.compressed;
      INFO(c.what << ", " << rules.size() << " rules");
      check(model, assignment);
    }
  }
}

}  // namespace

TEST_CASE("without origins the passes make the same program") {
  each_case([](const Model& model, const Assignment& assignment) {
    CHECK(lowered(model, assignment, true) == lowered(model, assignment, false));
  });
}

TEST_CASE("after any pass the text of the state is enough to go on") {
  each_case([](const Model& model, const Assignment& assignment) {
    CHECK(lowered_by_text(model, assignment) == lowered(model, assignment, false));
  });
}
