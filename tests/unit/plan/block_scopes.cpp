// Scopes of blocks of both kinds in one layout.
#include "plan/space/block_scopes.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "layout/check_summary.h"
#include "unit/plan/lab.h"

namespace plan_block_scopes_test {

using namespace plan_lab;

namespace {

/// Experts beside attention that leaves positions whole.
const std::string kModel = R"(
dim batch = 8, length = 4, memory = length, e = 4, d = 6, f = 10, heads = 2
input x[batch, length, d] from gaussian(seed=1)
block attend(x over length, d) {
  param w[d, heads, f] ~ normal(1)
  k = einsum(x, w over d)
  s = softmax(einsum(k, k[length -> memory] over f) over memory)
  return einsum(einsum(s, k[length -> memory] over memory), w over heads, f)
}
block layer(x over e, d) {
  param w[e, d, f] ~ normal(1)
  return tanh(einsum(x, w over d))
}
y = x + attend@attn(x over length, d)
param route[d, e] ~ normal(1)
gate = softmax(einsum(y, route over d) over e)
loss mean(square(layer@experts(einsum(gate, y over length) over e, d)))
)";

struct Experts {
  SourceMap sources;
  Model model = model_of(sources, kModel).value();
  Mesh mesh{{{"outer", 2}, {"inner", 2}}};
  plan::Space space = plan::space_of(model, {mesh});
  plan::BlockScopes scopes{space, model};
};

}  // namespace

TEST_CASE("positions are split where they are free and experts get an axis of the batch") {
  Experts lab;
  const plan::Choice choice{lab.mesh, {{"batch", {"outer"}}, {"heads", {"inner"}}}};
  std::vector<std::string> legal;
  for (const plan::Scopings& scopings : lab.scopes.ways(choice)) {
    const auto found = lab.scopes.with(choice, scopings);
    if (!found || scopings.size() != 2) continue;
    CHECK(scopings[0].kind == plan::Scoping::Kind::where_free);
    CHECK(scopings[1].kind == plan::Scoping::Kind::handed_over);
    const lowering::LayoutReport report = lowering::check_layout(
        "x.layout", plan::layout_of(*found), {}, std::nullopt, lab.model, lab.sources);
    if (report.ok) legal.push_back(plan::rules_text(*found));
  }
  CHECK(std::find(legal.begin(), legal.end(),
                  "batch:outer; heads:inner; length:inner; in \"attn\" { length:[] }; "
                  "in \"experts\" { batch:[]; e:outer }") != legal.end());
}

TEST_CASE("experts get an axis that only scopes give to the batch") {
  Experts lab;
  const plan::Choice choice{lab.mesh, {{"heads", {"inner"}}}};
  std::vector<std::string> found;
  for (const plan::Scopings& scopings : lab.scopes.ways(choice))
    if (const auto one = lab.scopes.with(choice, scopings)) found.push_back(plan::rules_text(*one));
  CHECK(std::find(found.begin(), found.end(),
                  "heads:inner; batch:inner; in \"attn\" { batch:[] }; "
                  "in \"experts\" { batch:[]; e:inner }") != found.end());
}

TEST_CASE("bounds count what each kind splits, and how parameters may be kept then") {
  using Kind = plan::Scoping::Kind;
  Experts lab;
  const std::vector<plan::Split> splits = lab.scopes.further(
      {{Kind::where_free, "length", {"inner"}}, {Kind::handed_over, "e", {"outer"}}});
  std::vector<plan::Split> expected = {{"length", {"inner"}}};
  for (const std::string& dim : lab.space.kept_dims) expected.push_back({dim, {"inner"}});
  expected.push_back({"e", {"outer"}});
  CHECK(splits == expected);
  CHECK(lab.scopes.further({}).empty());
}

/// A choice that is not legal would be dropped as if it had been looked at.
TEST_CASE("whatever scopes are tried with legal rules is legal") {
  std::mt19937 random(7);
  const Mesh mesh{{{"outer", 2}, {"inner", 2}}};
  std::size_t legal = 0;
  const auto check = [&](const Model& model, const plan::Space& space, const std::string& name) {
    const plan::BlockScopes scopes(space, model);
    for (int i = 0; i < 20; ++i) {
      const plan::Choice choice{mesh, random_choice(space, model.dims, random).rules};
      for (const plan::Scopings& scopings : scopes.ways(choice)) {
        const auto found = scopes.with(choice, scopings);
        if (!found) continue;
        INFO(name << ": " << plan::rules_text(*found));
        Diagnostics diagnostics;
        const auto assignment = lowering::resolve(plan::layout_of(*found, space.given),
                                                  std::nullopt, model, diagnostics);
        REQUIRE(assignment);
        CHECK(lowering::is_legal(model, *assignment));
        ++legal;
      }
    }
  };
  plan::Choice vocabulary{mesh, {{"vocab", {"outer"}}}};
  vocabulary.pads = true;
  Layout kept = plan::layout_of(vocabulary);
  kept.mesh.reset();
  for (const std::string name : {"bert", "gpt", "grouped_queries", "llama", "local_attention",
                                 "moe", "packed_lm", "t5_bias", "transformer_lm"}) {
    SourceMap sources;
    const auto model = model_of(sources, text_of("models/" + name + ".mtf"));
    REQUIRE(model);
    check(*model, plan::space_of(*model, {mesh}), name);
    check(*model, plan::space_of(*model, {mesh}, kept), name + ", vocab:outer kept");
  }
  CHECK(legal > 500);
}

}  // namespace plan_block_scopes_test
