// Axes handed over in blocks, against the expert-parallel layouts that people wrote.
#include "plan/space/hand_over.h"

#include <catch2/catch.hpp>

#include "unit/plan/lab.h"

namespace plan_hand_over_test {

using namespace plan_lab;
using plan::Choice;

namespace {

using plan::Split;
using Rules = std::vector<Split>;
const Mesh kMesh{{{"outer", 2}, {"inner", 2}}};
const std::string kExperts = R"(
dim batch = 8, e = 4, d = 6, f = 10
input x[batch, d] from gaussian(seed=1)
block layer(x over e, d) {
  param w[e, d, f] ~ normal(1)
  param v[e, f, d] ~ normal(1)
  return einsum(tanh(einsum(x, w over d)), v over f)
}
y = x
repeat@layers 2 {
  param route[d, e] ~ normal(1)
  gate = softmax(einsum(y, route over d) over e)
  y = einsum(layer@experts(y * broadcast(gate -> batch, e, d) over e, d), gate over e)
}
loss mean(square(y))
)";

plan::SharedDims shared(const std::string& text) {
  SourceMap sources;
  const auto model = model_of(sources, text);
  REQUIRE(model);
  return plan::shared_dims(*model);
}
using Dims = std::map<std::string, std::set<std::string>>;

Choice with(Rules rules, Rules kept = {}) {
  Choice choice{kMesh, std::move(rules)};
  choice.kept = std::move(kept);
  return choice;
}
std::string handed(const Choice& choice, const std::vector<std::string>& axes) {
  const auto found = plan::hand_over(choice, "e", axes, shared(kExperts), {"batch"});
  return found ? plan::rules_text(*found) : "none";
}

}  // namespace

TEST_CASE("experts are what everything in their block has, and no input") {
  CHECK(shared(kExperts).dims == Dims{{"layers.*.experts", {"e"}}});
  CHECK(shared(text_of("models/moe.mtf")).dims == Dims{{"pairs.*.moe.experts", {"experts"}}});
  for (const std::string name : {"gpt", "mnist", "llama", "bert"})
    CHECK(shared(text_of("models/" + name + ".mtf")).dims.empty());
}

TEST_CASE("expert parallelism is an axis of the batch that experts get in their block") {
  // models/layouts/moe/ep.layout
  CHECK(handed(with({Split{"batch", {"inner"}}}), {"inner"}) ==
        "batch:inner; in \"layers.*.experts\" { batch:[]; e:inner }");
  CHECK(handed(with({Split{"batch", {"outer", "inner"}}, Split{"e", {"inner"}}}), {"outer"}) ==
        "batch:outer+inner; e:inner; in \"layers.*.experts\" { batch:inner; e:outer+inner }");
}

TEST_CASE("of several axes the minor one is given up first") {
  CHECK(handed(with({Split{"batch", {"outer", "inner"}}}), {"outer", "inner"}) ==
        "batch:outer+inner; in \"layers.*.experts\" { batch:[]; e:inner+outer }");
}

TEST_CASE("nothing is handed over that examples have not, or that experts have") {
  CHECK(handed(with({Split{"f", {"inner"}}}), {"inner"}) == "none");
  CHECK(handed(with({Split{"batch", {"inner"}}}), {"outer"}) == "none");
  CHECK(handed(with({Split{"batch", {"outer"}}, Split{"e", {"outer"}}}), {"outer"}) == "none");
}

TEST_CASE("experts are not kept split over the axis that they are split over") {
  // models/layouts/moe/ep_fsdp.layout
  const auto kept = [&](std::vector<std::string> axes) {
    return handed(with({Split{"batch", {"outer", "inner"}}}, {Split{"d", std::move(axes)}}),
                  {"inner"});
  };
  CHECK(kept({"outer", "inner"}) ==
        "batch:outer+inner; in \"layers.*.experts\" { batch:outer; e:inner }; param \"**\" { "
        "d:outer+inner }; param \"layers.*.experts.**\" { d:outer }");
  CHECK(kept({"outer"}).find("experts.**") == std::string::npos);
  CHECK(kept({"inner"}).find("param \"layers.*.experts.**\" { d:[] }") != std::string::npos);
}

}  // namespace plan_hand_over_test
