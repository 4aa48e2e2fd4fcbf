// Sets of general rules: all of small spaces, of large ones those that seem the fastest.
#include "plan/search/families.h"

#include <catch2/catch.hpp>

#include "lab.h"
#include "plan/price/estimates.h"
#include "plan/search/search.h"
#include "plan/space/meshes.h"
#include "plan/space/ways_to_keep.h"
#include "unit/support/nightly.h"

namespace plan_families_test {

using namespace mtfc;

namespace {

/// Layers of widths of their own: `d0` to `d<layers>`, every second one a bottleneck.
std::string net(int layers) {
  std::string text = "use \"nn.mtf\"\ndim batch = 64";
  for (int i = 0; i <= layers; ++i)
    text += ", d" + std::to_string(i) + " = " + (i % 2 ? "256" : "1024");
  text += "\ninput x[batch, d0] from gaussian(seed=1)\nh = x\n";
  for (int i = 0; i < layers; ++i) {
    const std::string from = "d" + std::to_string(i), to = "d" + std::to_string(i + 1);
    text += "h = relu(dense@l" + std::to_string(i) + "(h over " + from + " -> " + to + "))\n";
  }
  return text + "loss mean(h^2)\ntrain { optimizer = sgd(lr=0.1)  steps = 2 }\n";
}

struct Case {
  SourceMap sources;
  Model model;
  plan::Models models;
  predict::Machine machine = plan_lab::preset("h100");
  plan::Space space;

  explicit Case(int layers)
      : model(plan_lab::model_of(sources, net(layers)).value()),
        models(plan_lab::models_of(sources, net(layers), {})),
        space(plan::space_of(model, plan::meshes_of(8, 2))) {}
};

}  // namespace

TEST_CASE("of a small space all sets of rules are looked at") {
  Case small(2);
  const plan::NamedWork work(small.space, small.models, small.sources, small.machine);
  plan::Estimates estimates(work, small.machine);
  const plan::Families all = plan::families_of(
      small.space, small.model.dims, [&](const auto& c) { return estimates.seconds(c); },
      plan::TimeBudget(60));
  CHECK(all.cut_short.empty());
  std::size_t legal = 0;
  for (const Mesh& mesh : small.space.meshes)
    legal += plan::legal_rules(small.space, mesh, small.model.dims, 100000).value().size();
  CHECK(all.bases.size() == legal);
  CHECK(!plan::legal_rules(small.space, small.space.meshes.front(), small.model.dims, 3));
}

TEST_CASE("of a large space those that seem the fastest, and what no other goes below") {
  // By day fewer layers in less time.
  Case large(test::is_nightly() ? 20 : 12);
  CHECK(!plan::legal_rules(large.space, large.space.meshes.back(), large.model.dims, 50000));
  const double seconds = test::is_nightly() ? 5 : 3;
  const plan::Plan plan =
      plan::search(large.space, large.models, large.sources, large.machine, {80e9, seconds, false});
  CHECK(plan.cut_short > 0);
  CHECK(!plan.is_proved());
  REQUIRE(plan.best);
  CHECK(plan.bound > 0);
  CHECK(plan.bound <= plan.best->price.step);
  // Nothing that a user would write first is faster.
  plan::Pricer pricer(large.models, large.sources, large.machine, {}, {});
  for (const Mesh& mesh : large.space.meshes) {
    plan::Choice plain{mesh};
    for (const MeshAxis& axis : mesh.axes) plain.rules = {{"batch", {axis.name}}};
    const auto price = pricer.whole(plain);
    REQUIRE(price);
    CHECK(plan.best->price.step <= price->step);
  }
}

TEST_CASE("parameters are kept along several names where none is of most of them") {
  const plan::Space space = Case(4).space;
  // d2 is of the two matrices in the middle, and has the longer bias.
  const std::vector<std::string> names = {"d2", "d4", "d0"};
  plan::Choice choice{space.meshes.front()};
  choice.rules = {{"batch", {"all"}}};
  SourceMap sources;
  const Model model = plan_lab::model_of(sources, net(4)).value();
  const auto ways = plan::ways_to_keep(space, choice, model.dims);
  std::vector<plan::Split> all;
  for (const std::string& name : names) all.push_back({name, {"all"}});
  CHECK(std::count(ways.begin(), ways.end(), all) == 1);
}

TEST_CASE("along which names parameters are kept together depends on what axes divide") {
  SourceMap sources;
  std::string text = net(4);
  text.replace(text.find("d2 = 1024"), 9, "d2 = 4098");  // 2 divides it, 4 and 8 do not
  const Model model = plan_lab::model_of(sources, text).value();
  const plan::Space space = plan::space_of(model, plan::meshes_of(8, 2));
  for (const Mesh& mesh : space.meshes)
    for (const MeshAxis& axis : mesh.axes) {
      const auto names = plan::kept_together(space, mesh, {axis.name}, model.dims);
      INFO(to_string(mesh) << " " << axis.name);
      REQUIRE(names.size() > 1);
      CHECK((names.front() == "d2") == (axis.size == 2));
    }
}

}  // namespace plan_families_test
