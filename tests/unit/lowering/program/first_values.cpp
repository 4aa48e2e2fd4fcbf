// The program that gives variables their first values: what it holds beside them.
#include <catch2/catch.hpp>

#include <algorithm>

#include "cost/beside_step.h"
#include "cost/cost.h"
#include "frontend/layout/parse_layout.h"
#include "layout/assignment.h"
#include "unit/lowering/lab.h"

namespace lowering_first_values_test {

using namespace mtfc;
using namespace lowering_lab;

namespace {

/// `INIT`: of the parameters.
const char* const kModel = R"(
dim batch = 8, d = 64, e = d
input x[batch, d] from gaussian(seed=1)
h = x
repeat@layers 6 {
  param w[d, e] ~ INIT
  h = tanh(einsum(h, w over d))[e -> d]
}
loss mean(h^2)
train { optimizer = adam(lr=0.1)  steps = 1 }
)";

Module module_of(const std::string& init, const std::string& layout_text) {
  std::string text = kModel;
  text.replace(text.find("INIT"), 4, init);
  const Model model = model_of(text);
  Diagnostics diagnostics;
  const auto layout = parse_layout(all_sources(), all_sources().add("l", layout_text), diagnostics);
  REQUIRE(layout);
  const auto assignment = lowering::resolve(*layout, {}, model, diagnostics);
  REQUIRE(assignment);
  return lowering::lower(model, *assignment, {});
}

std::int64_t held_by_init(const Module& module) {
  return cost::cost_of(module, *module.find("init"), all_sources()).arena_bytes;
}

constexpr std::int64_t kParameter = 64 * 64 * 4;  // bytes
const char* const kKept = "mesh data=4\nbatch:data ; param \"**\" { e:data }\n";

}  // namespace

TEST_CASE("samples of a parameter that is kept on shards are made as shards, in its own memory") {
  const Module module = module_of("normal(0.1)", kKept);
  CHECK(held_by_init(module) == 0);
  CHECK(held_by_init(module_of("normal(0.1)", "mesh data=4\nbatch:data\n")) == 0);
  const Program& init = *module.find("init");
  CHECK(std::none_of(init.instructions.begin(), init.instructions.end(),
                     [](const Instruction& at) { return std::holds_alternative<Shard>(at.kind); }));
}

TEST_CASE("of values that must be made whole, one is in memory at a time") {
  const std::int64_t one = [] {
    Module module = module_of("orthogonal(over d -> e)", kKept);
    Program& init = *std::find_if(module.programs.begin(), module.programs.end(),
                                  [](const Program& program) { return program.name == "init"; });
    const auto first =
        std::find_if(init.instructions.begin(), init.instructions.end(),
                     [](const Instruction& at) { return std::holds_alternative<Write>(at.kind); });
    init.instructions.erase(first + 1, init.instructions.end());
    return held_by_init(module);
  }();
  CHECK(one >= kParameter);
  CHECK(held_by_init(module_of("orthogonal(over d -> e)", kKept)) == one);
}

TEST_CASE("what is kept on shards takes less for first values than what is whole") {
  const auto bytes = [](const Module& module) {
    cost::Cost cost = cost::cost_of_step(module, all_sources());
    cost::count_beside_step(module, all_sources(), false, cost);
    return cost.first_values_bytes;
  };
  const std::int64_t whole = bytes(module_of("normal(0.1)", "mesh data=4\nbatch:data\n"));
  CHECK(whole >= 18 * kParameter);
  CHECK(bytes(module_of("normal(0.1)", kKept)) < whole / 3);
}

TEST_CASE("first values are those of variables that checkpoints have") {
  // With micro-batches, sums of these and of evaluations are variables, too.
  std::string text = kModel;
  text.replace(text.find("INIT"), 4, "normal(0.1)");
  text.replace(text.find("steps = 1"), 9, "steps = 1  microbatches = 2");
  const Model model = model_of(text);
  const Module module =
      lowering::lower(model, place(model, {{{"data", 2}}}, {{"batch", "data"}}), {});
  std::size_t saved = 0, written = 0;
  for (const ModuleVariable& variable : module.variables)
    saved += variable.kind != Variable::Kind::accumulator ? 1 : 0;
  for (const Instruction& at : module.find("init")->instructions)
    if (const auto* write = std::get_if<Write>(&at.kind)) {
      CHECK(module.find_variable(write->variable)->kind != Variable::Kind::accumulator);
      ++written;
    }
  CHECK(written == saved);
  CHECK(saved < module.variables.size());
}

}  // namespace lowering_first_values_test
