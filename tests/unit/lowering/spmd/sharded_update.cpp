// The update as part of the program: what has states, where they live, what moves.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "frontend/elaborate/elaborate.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/pipeline.h"
#include "optim/optimizers.h"

namespace lowering_spmd_sharded_update_test {

using namespace mtfc;

namespace {

Model model_of(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto model = elaborate(sources, sources.add("test.mtf", text), {}, diagnostics);
  REQUIRE(model);
  return *model;
}

/// Every dimension `d` in `rules` on the mesh axis `rules[d]`, of size 2 if `sizes` says nothing.
Module lowered(const Model& model, const std::map<std::string, std::string>& rules,
               const std::map<std::string, std::int64_t>& sizes = {}) {
  Assignment assignment;
  std::set<std::string> axes;
  for (const auto& [dim, axis] : rules) axes.insert(axis);
  for (const std::string& axis : axes)
    assignment.mesh.axes.push_back({axis, sizes.contains(axis) ? sizes.at(axis) : 2});
  assignment.dims.resize(model.dims.size());
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const auto it = rules.find(model.dims.all()[d].name);
    if (it == rules.end()) continue;
    assignment.dims[d] = {{*assignment.mesh.find(it->second)}, 0, it->first + ":" + it->second};
  }
  Module module = lowering::lower(model, assignment, {});
  REQUIRE(verify(module) == "");
  return module;
}

std::string matrix(const std::string& optimizer) {
  return "dim batch = 8, a = 8, b = 4, h = 6\n"
         "input x[batch, a] from gaussian(seed=1)\n"
         "param w[a, h, b] ~ normal(1)\n"
         "loss mean(tanh(einsum(x, w over a)))\n"
         "train { optimizer = " +
         optimizer + "  steps = 1 }";
}

/// "path: type" of every state of the optimiser.
std::set<std::string> states_of(const Module& module) {
  std::set<std::string> found;
  for (const ModuleVariable& v : module.variables)
    if (v.kind == Variable::Kind::optimizer)
      found.insert(v.path + ": " + to_string(module.dims, module.mesh, v.type));
  return found;
}

/// What the update all-reduces, all in all: elements of tensors, and scalars.
struct Reduced {
  std::int64_t elements = 0, scalars = 0;
  int messages = 0;
};
Reduced reduced_by_update(const Module& module) {
  Reduced reduced;
  const Program& program = *module.find("train");
  for (const Instruction& i : program.instructions) {
    if (!is_collective(i.kind) || i.origin.phase != Phase::update) continue;
    CHECK(name(i.kind) == "all_reduce");
    ++reduced.messages;
    for (ValueId operand : i.operands) {
      const ShardType& type = program.at(operand).type;
      if (type.tensor.dims.empty())
        ++reduced.scalars;
      else
        reduced.elements += shard_elements(module.dims, module.mesh, type);
    }
  }
  return reduced;
}

}  // namespace

TEST_CASE("what is not trained has no state and is not written") {
  const Module module = lowered(model_of(R"(
dim batch = 8
input x[batch] from gaussian(seed=1)
param behind, cold, w[batch] = 1
loss mean(x * w * stop_gradient(behind) * cold)
train { optimizer = adamw(lr=0.1, decay=0.5)  steps = 1  params "cold" { frozen = true } }
)"),
                                {});
  CHECK(states_of(module) ==
        std::set<std::string>{"optimizer.m.w: f32[batch]", "optimizer.v.w: f32[batch]"});
  std::set<std::string> written;
  for (const Instruction& i : module.find("train")->instructions)
    if (const auto* write = std::get_if<Write>(&i.kind)) written.insert(write->variable);
  CHECK(written == std::set<std::string>{"optimizer.m.w", "optimizer.v.w", "w"});
}

TEST_CASE("states are split as their parameter is") {
  const Module adam = lowered(model_of(matrix("adam(1)")), {{"a", "x"}, {"h", "y"}});
  CHECK(states_of(adam) == std::set<std::string>{"optimizer.m.w: f32[a/x, h/y, b]",
                                                 "optimizer.v.w: f32[a/x, h/y, b]"});
  CHECK(reduced_by_update(adam).elements == 0);
  CHECK(reduced_by_update(adam).scalars == 0);
}

TEST_CASE("the sharded update cuts a parameter into as many parts as it can") {
  const auto states = [](const std::string& sizes, std::int64_t y = 2) {
    const Model model =
        model_of("dim batch = 8, batch2 = batch, " + sizes +
                 "\ninput x[batch, batch2, a] from gaussian(seed=1)\nparam w[a, b] ~ normal(1)\n"
                 "loss mean(tanh(einsum(x, w over a)))\n"
                 "train { optimizer = sgd(lr=1, momentum=0.9)  steps = 1  update = sharded }");
    return states_of(lowered(model, {{"batch", "x"}, {"batch2", "y"}}, {{"y", y}}));
  };
  const auto one = [](const std::string& type) { return std::set<std::string>{type}; };
  CHECK(states("a = 8, b = 3") == one("optimizer.m.w: f32[a/x+y, b]"));
  CHECK(states("a = 2, b = 6") == one("optimizer.m.w: f32[a/x, b/y]"));
  // The first axis leaves room for the second, and gives way to a larger one.
  CHECK(states("a = 4, b = 2", 4) == one("optimizer.m.w: f32[a/y, b/x]"));
  // With padding only where more parts come of it, and with as little as possible.
  CHECK(states("a = 4, b = 3", 4) == one("optimizer.m.w: f32[a/x, b~2/y]"));
  CHECK(states("a = 3, b = 5") == one("optimizer.m.w: f32[a~2/x+y, b]"));
  // Padding does not double a parameter.
  CHECK(states("a = 1, b = 2", 8) == one("optimizer.m.w: f32[a, b/x]"));
  CHECK(states("a = 1, b = 1") == one("optimizer.m.w: f32[a, b]"));
}

TEST_CASE("what is added to a sum over replicas does not keep the update from being shared out") {
  const Model model = model_of(R"(
dim batch = 6, a = 4
input x[batch, a] from gaussian(seed=1)
param w[a] ~ normal(1)
loss mean(square(x * w)) + 0.1 * sum(square(w))
train { optimizer = adam(lr=1)  steps = 1  update = sharded }
)");
  const Module module = lowered(model, {{"batch", "x"}}, {{"x", 2}, {"y", 1}});
  CHECK(verify(module) == "");
  CHECK(states_of(module) ==
        std::set<std::string>{"optimizer.m.w: f32[a/x]", "optimizer.v.w: f32[a/x]"});
  int scattered = 0;
  for (const Instruction& i : module.find("train")->instructions)
    scattered += std::holds_alternative<ReduceScatter>(i.kind);
  CHECK(scattered == 1);
}

TEST_CASE("small sums are packed with padding, too") {
  const Model model = model_of(R"(
dim batch = 6, a = 4, b = 5
input x[batch, a, b] from gaussian(seed=1)
param w[a] ~ normal(1)
param v[b] ~ normal(1)
loss mean(square(x * w * v))
train { optimizer = adam(lr=1)  steps = 1  clip = 1  update = sharded }
)");
  const Module module = lowered(model, {{"batch", "x"}}, {{"x", 3}, {"y", 1}});
  CHECK(verify(module) == "");
  std::vector<std::string> moved;
  for (const Instruction& i : module.find("train")->instructions)
    if (is_collective(i.kind) && !std::holds_alternative<AllReduce>(i.kind))
      moved.push_back(std::string(name(i.kind)) + " of " + std::to_string(i.operands.size()));
  CHECK(moved == std::vector<std::string>{"reduce_scatter of 2", "all_gather of 2"});
}

TEST_CASE("a padded gradient is reduce-scattered, and what comes back is cut to its size") {
  const Model model = model_of(R"(
dim batch = 6, a = 4
input x[batch, a] from gaussian(seed=1)
param w[a] ~ normal(1)
loss mean(square(x * w))
train { optimizer = adam(lr=1)  steps = 1  clip = 1  update = sharded }
)");
  const Module module = lowered(model, {{"batch", "x"}}, {{"x", 3}, {"y", 1}});
  CHECK(verify(module) == "");
  CHECK(states_of(module) ==
        std::set<std::string>{"optimizer.m.w: f32[a~2/x]", "optimizer.v.w: f32[a~2/x]"});
  CHECK(module.dims.size(*module.dims.find_unique("a~2")) == 6);
  const Program& train = *module.find("train");
  std::vector<std::string> moved;
  for (const Instruction& i : train.instructions) {
    const bool moves = is_collective(i.kind) || std::holds_alternative<Shard>(i.kind) ||
                       std::holds_alternative<Pad>(i.kind) || std::holds_alternative<Slice>(i.kind);
    const ShardType& type = train.at(i.operands.empty() ? i.results[0] : i.operands[0]).type;
    if (moves && !type.tensor.dims.empty())
      moved.push_back(std::string(name(i.kind)) + " " + to_string(module.dims, module.mesh, type));
  }
  CHECK(moved == std::vector<std::string>{
                     "pad f32[a] partial(x)", "reduce_scatter f32[a~2] partial(x)", "pad f32[a]",
                     "shard f32[a~2]", "all_gather f32[a~2/x]", "slice f32[a~2]"});
  // What the dump says of padding can be read back.
  std::string error;
  const auto read = parse_module(print(module), error);
  REQUIRE(read);
  CHECK(print(*read) == print(module));
}

TEST_CASE("the means of adafactor move its small states and scalars only") {
  const Model model = model_of(matrix("adafactor(min_size=2)"));
  const Module split = lowered(model, {{"a", "x"}, {"h", "y"}});
  CHECK(states_of(split) ==
        std::set<std::string>{"optimizer.vr.w: f32[h/y, b]", "optimizer.vc.w: f32[a/x, b]"});
  // vr: h/2 x b; vc: a/2 x b; the mean of vr over h: b. The bucket may hold the loss too.
  CHECK(reduced_by_update(split).elements == 3 * 4 + 4 * 4 + 4);
  CHECK(reduced_by_update(split).scalars <= 3);
}

TEST_CASE("layer-wise norms are of the whole parameter, two scalars") {
  for (const char* optimizer : {"lamb(1)", "lars(1)"}) {
    const Model model = model_of(matrix(optimizer));
    for (const auto& [rules, scalars] :
         {std::pair{std::map<std::string, std::string>{{"a", "x"}}, 2}, {{{"batch", "x"}}, 0}}) {
      const Reduced reduced = reduced_by_update(lowered(model, rules));
      CHECK(reduced.elements == 0);
      CHECK(reduced.scalars == scalars);
    }
  }
}

TEST_CASE("the updates of all parameters share their messages") {
  std::string text =
      "dim batch = 8, a = 8, h = 6\ninput x[batch, a] from gaussian(seed=1)\ny = x\n";
  for (int i = 0; i < 10; ++i) {
    const std::string w = "w" + std::to_string(i);
    text += "param " + w + "[a, h] ~ normal(1)\ny = einsum(tanh(einsum(y, " + w + " over a)), " +
            w + " over h)\n";
  }
  text += "loss mean(y)\ntrain { optimizer = ";
  const auto messages = [&](const std::string& optimizer) {
    const Model model = model_of(text + optimizer + "  steps = 1 }");
    return reduced_by_update(lowered(model, {{"h", "x"}})).messages;
  };
  CHECK(messages("adam(1)") == 0);
  CHECK(messages("lamb(1)") <= 2);                // |p| and |u|
  CHECK(messages("adafactor(min_size=2)") <= 4);  // the moment, its mean, two rms
}

}  // namespace lowering_spmd_sharded_update_test
