// Blocks computed again in some iterations: prices from few iterations are near those of whole
// models, and the fewest that fit are found.
#include <catch2/catch.hpp>
#include <random>

#include "plan/price/pricing.h"
#include "plan/space/space.h"
#include "unit/plan/lab.h"
#include "unit/support/nightly.h"

namespace plan_recomputed_test {

using namespace plan_lab;
using plan::Choice;
using plan::Price;
using plan::Recompute;

namespace {

constexpr std::int64_t kLayers = 9;
const Words kSize = {
    {"batch", "64"}, {"length", "256"}, {"d_model", "512"}, {"vocab", "512"}, {"layers", "9"}};

Choice in(Choice choice, std::int64_t iterations) {
  choice.recomputed = iterations < kLayers ? iterations : 0;
  return choice;
}

}  // namespace

TEST_CASE("what blocks compute again in some iterations is priced from few of them") {
  SourceMap sources;
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), kSize, kLayers);
  const Model& model = *models.find(1);
  const predict::Machine machine = preset("h100");
  plan::Space space = plan::space_of(model, plan::meshes_of(8, 2));
  CHECK(space.recompute_iterations == kLayers);
  space.microbatches = {1, 2, 4};
  Layout given;
  given.settings.emplace_back("attention", "stored");
  given.setting_spans.emplace_back();
  plan::Pricer pricer(models, sources, machine, given);
  std::mt19937 random(7);
  int checked = 0, fewer = 0;
  const int tried = test::is_nightly() ? 40 : 3;
  for (int i = 0; i < tried; ++i) {
    Choice choice = random_choice(space, model.dims, random);
    choice.recompute = random() % 2 ? Recompute::full : Recompute::selective;
    INFO(to_string(choice.mesh) << ": " << plan::description(choice));
    const std::optional<Price> all = pricer.predicted(choice, 0);
    if (!all) continue;
    CHECK(all->recomputed == 0);  // nothing fits in no memory
    const std::int64_t some = 1 + static_cast<std::int64_t>(random() % (kLayers - 1));
    const std::optional<Price> few = pricer.predicted(in(choice, some), 0);
    const std::optional<Price> whole = pricer.whole(in(choice, some));
    REQUIRE((few && whole));
    CHECK(few->recomputed == some);
    CHECK(few->step == Approx(whole->step).epsilon(0.01));
    CHECK(few->step_at(0, 1) == Approx(few->step).epsilon(1e-9));
    CHECK(few->memory == Approx(whole->memory).epsilon(plan::memory_slack));
    CHECK(few->variables == whole->variables);
    // The fewest within what these take.
    const std::optional<Price> found = pricer.whole_within(choice, *few, whole->memory);
    REQUIRE(found);
    CHECK(found->memory <= whole->memory);
    CHECK(found->recomputed <= some);
    if (found->recomputed > 1) {
      const std::optional<Price> less = pricer.whole(in(choice, found->recomputed - 1));
      CHECK(less.value().memory > whole->memory);
      ++fewer;
    }
    ++checked;
  }
  CHECK(checked > tried / 2);
  CHECK(fewer > tried / 4);
}

}  // namespace plan_recomputed_test
