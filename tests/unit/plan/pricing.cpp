// What a plan says of a layout is what `cost` says of it; from few iterations nearly so; and no
// variant goes below its bounds.
#include "plan/price/pricing.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "cost/cost.h"
#include "frontend/layout/parse_layout.h"
#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "plan/price/bounds.h"
#include "unit/plan/lab.h"
#include "unit/support/shipped_layouts.h"

namespace plan_pricing_test {

using namespace plan_lab;
using plan::Choice;
using plan::Price;
namespace fs = std::filesystem;

namespace {

const Words kLarge = {{"batch", "64"}, {"length", "256"}, {"d_model", "512"}, {"vocab", "512"}};

struct Expected {
  double step = 0, memory = 0;
};
/// As `mtfc cost` has it.
Expected expected(const Layout& layout, const Model& model, const SourceMap& sources,
                  const predict::Machine& machine) {
  Diagnostics silent;
  const auto assignment = lowering::resolve(layout, std::nullopt, model, silent);
  REQUIRE(assignment);
  const auto mapping = predict::map_mesh(assignment->mesh, machine);
  REQUIRE(mapping);
  const cost::Cost cost =
      cost::cost_of_step(lowering::lower(model, *assignment, {}), sources, machine.chip.detail());
  const predict::Prediction found = predict::predict(cost, machine, *mapping);
  return {found.step, static_cast<double>(found.memory_needed.bytes)};
}

}  // namespace

TEST_CASE("the price of a layout is what cost predicts, for layouts that ship") {
  const predict::Machine machine = preset("h100");
  int checked = 0;
  for (const fs::path& path : test::shipped_layouts(fs::path(MTFC_SOURCE_DIR) / "models")) {
    INFO(path);
    SourceMap sources;
    Diagnostics diagnostics;
    const std::string name = path.parent_path().filename().string();
    const std::string model_text = text_of("models/" + name + ".mtf");
    const plan::Models models{[&](std::int64_t, std::int64_t) {
                                return model_of(sources, model_text,
                                                test::shipped_sizes(model_text));
                              },
                              0};
    const auto layout = parse_layout(
        sources,
        sources.add(path.string(),
                    text_of("models/layouts/" + name + "/" + path.filename().string())),
        diagnostics);
    REQUIRE(layout);
    const Expected wanted = expected(*layout, *models.find(1), sources, machine);
    Layout given = *layout;
    for (LayoutRule& rule : given.rules) rule.must_divide = false;
    Choice choice;
    choice.mesh = layout->mesh.value_or(Mesh{});
    plan::Pricer pricer(models, sources, machine, *layout);
    const std::optional<Price> price = pricer.whole(choice);
    if (!price) continue;  // a size that does not divide
    CHECK(price->step == Approx(wanted.step).epsilon(1e-12));
    CHECK(price->memory == wanted.memory);
    CHECK(price->step_at(0, 1) == Approx(wanted.step).epsilon(1e-9));
    ++checked;
  }
  CHECK(checked > (test::is_nightly() ? 50 : 12));
}

TEST_CASE("a step under other links is that of a machine with such links") {
  SourceMap sources;
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), kLarge);
  const predict::Machine machine = preset("a100_80");
  for (const std::size_t level : {0, 1})
    for (const double factor : {0.1, 3.0}) {
      predict::Machine other = machine;
      other.levels[level].bandwidth *= factor;
      Choice choice{{{{"outer", 4}, {"inner", 4}}}, {{"batch", {"outer"}}, {"heads", {"inner"}}}};
      choice.kept = {{"d_model", {"outer"}}};
      plan::Pricer here(models, sources, machine, {}), there(models, sources, other, {});
      const auto price = here.whole(choice), wanted = there.whole(choice);
      REQUIRE((price && wanted));
      CHECK(price->step_at(level, factor) == Approx(wanted->step).epsilon(1e-9));
    }
}

TEST_CASE("few iterations give the step of many, and no variant goes below the bounds") {
  SourceMap sources;
  Words defines = kLarge;
  defines.emplace_back("layers", "9");
  const std::string text = text_of("models/gpt.mtf");
  const plan::Models models = models_of(sources, text, defines, 9);
  const Model& model = *models.find(1);
  const predict::Machine machine = preset("h100");
  plan::Space space = plan::space_of(model, plan::meshes_of(8, 2));
  space.microbatches = {1, 2, 4};
  const plan::NamedWork work(space, models, sources, machine);
  const plan::Bounds bounds(space, work, machine);
  plan::Pricer pricer(models, sources, machine, {});
  std::mt19937 random(20);
  int checked = 0;
  const int tried = test::is_nightly() ? 60 : 6;
  for (int i = 0; i < tried; ++i) {
    const Choice choice = random_choice(space, model.dims, random);
    INFO(to_string(choice.mesh) << ": " << plan::description(choice));
    const std::optional<Price> few = pricer.predicted(choice, 1e18);
    if (!few) continue;
    const std::optional<Price> whole = pricer.whole(choice);
    REQUIRE(whole);
    CHECK(few->step == Approx(whole->step).epsilon(0.01));
    // Not exactly: one kernel adds up what several layers give to a norm.
    CHECK(few->computing == Approx(whole->computing).epsilon(1e-3));
    CHECK(few->floor <= whole->floor * (1 + 1e-9));
    CHECK(few->variables == whole->variables);
    CHECK(few->memory == Approx(whole->memory).epsilon(0.1));
    Choice base{choice.mesh, choice.rules};
    const std::optional<Price> bare = pricer.predicted(base, 1e18);
    REQUIRE(bare);
    CHECK(bare->floor <= whole->step * (1 + 1e-9));
    CHECK(bounds.seconds(choice.mesh, choice.rules) <= bare->floor * (1 + 1e-9));
    ++checked;
  }
  CHECK(checked > tried * 2 / 3);
}

TEST_CASE("holes between buffers of few iterations do not hide what many of them hold") {
  SourceMap sources;
  const Words wide = {{"batch", "64"}, {"length", "2048"}, {"d_model", "12288"},
                      {"heads", "96"}, {"vocab", "51200"}, {"layers", "16"}};
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), wide, 16);
  Choice choice{{{{"outer", 32}, {"inner", 2}}}};
  choice.rules.push_back({"batch", {"outer"}});
  for (const char* dim : {"vocab", "heads", "d_ff"}) choice.rules.push_back({dim, {"inner"}});
  choice.kept.push_back({"d_model", {"outer"}});
  const predict::Machine machine = preset("a100_80");
  plan::Pricer pricer(models, sources, machine, {});
  const auto few = pricer.predicted(choice, 80e9), whole = pricer.whole(choice);
  REQUIRE((few && whole));
  CHECK(!few->is_whole);
  // Holes are larger the more iterations there are, by 5 % here.
  CHECK(few->memory == Approx(whole->memory).epsilon(0.06));
}

TEST_CASE("gathers that travel over several iterations are predicted from more of them") {
  const std::string text = R"(dim batch = 2048, d = 256, c = 128, layers = 12
input x[batch, d] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=c)
h = x
repeat layers {
  param w[d, d'] ~ fan_in(over d)
  h = h + relu(einsum(h, w over d)[d' -> d])
}
param w[d, c] ~ normal(0.02)
loss mean(cross_entropy(einsum(h, w over d), y over c))
train { optimizer = adamw(lr=1e-3)  steps = 5 }
)";
  SourceMap sources;
  const plan::Models models = models_of(sources, text, {}, 12);
  predict::Machine machine = preset("h100");
  machine.chip.peaks.fill(60e12);
  machine.levels.front().bandwidth = 400e9;
  plan::Pricer pricer(models, sources, machine, {});
  Choice choice{{{{"all", 2}}}, {{"batch", {"all"}}}};
  for (const bool kept : {false, true})
    for (const plan::Gather gather : {plan::Gather::again, plan::Gather::once}) {
      choice.gather = gather;
      if (kept) choice.kept = {{"d", {"all"}}};
      INFO(plan::description(choice));
      const std::optional<Price> few = pricer.predicted(choice, 1e12), all = pricer.whole(choice);
      REQUIRE((few && all));
      CHECK(!few->is_whole);
      CHECK(few->step == Approx(all->step).epsilon(few->slack));
    }
}

}  // namespace plan_pricing_test
