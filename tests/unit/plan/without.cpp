// What the entries of a layout buy, and a layout without those that buy nothing.
#include "plan/search/without.h"

#include <catch2/catch.hpp>

#include "plan/price/pricing.h"
#include "unit/plan/lab.h"

namespace plan_without_test {

using namespace plan_lab;
using plan::Choice;
using plan::Judged;

TEST_CASE("entries without which the best is faster and fits are taken out of it") {
  SourceMap sources;
  const Words defines = {{"batch", "64"}, {"length", "128"}, {"d_model", "256"}, {"layers", "2"}};
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), defines);
  const predict::Machine machine = preset("h100");
  plan::Pricer pricer(models, sources, machine, {});
  // Neither keeping nor computing again is needed where memory is not short.
  const Choice lean{{{{"all", 2}}}, {{"batch", {"all"}}}};
  Choice laden = lean;
  laden.kept = {{"d_model", {"all"}}};
  laden.recompute = plan::Recompute::full;
  const auto slow = pricer.whole(laden), fast = pricer.whole(lean);
  REQUIRE((slow && fast));
  REQUIRE(fast->step < slow->step);
  for (const bool quickly : {false, true}) {
    plan::Plan plan;
    plan.open = 1;
    plan.best = Judged{laden, *slow, true};
    plan.judged = {*plan.best};
    const auto list = plan::prune_best(plan, pricer, 1e12, quickly);
    CHECK(plan::entries_of(plan.best->choice) == plan::entries_of(lean));
    CHECK(plan.best->price.step == fast->step);
    CHECK(plan.judged.size() == 3);  // one entry after the other
    REQUIRE(list.size() == 1);
    CHECK(list[0].entry == "batch:all");
  }
  // What is faster and does not fit stays out.
  plan::Plan plan;
  plan.open = 1;
  plan.best = Judged{laden, *slow, true};
  plan::prune_best(plan, pricer, 1, false);
  CHECK(plan::entries_of(plan.best->choice) == plan::entries_of(laden));
}

}  // namespace plan_without_test
