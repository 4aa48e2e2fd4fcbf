// Pipelines whose stages have submeshes of their own: the dynamic program against all of them.
#include "plan/space/submeshes.h"

#include <catch2/catch.hpp>
#include <deque>

#include "plan/price/bounds.h"
#include "plan/price/pricing.h"
#include "plan/price/submesh_cut.h"
#include "support/text.h"
#include "unit/plan/lab.h"
#include "unit/support/nightly.h"

namespace plan_submeshes_test {

using namespace plan_lab;
using plan::Choice;
using plan::Price;
using plan::Seconds;

namespace {

using Sizes = std::vector<std::int64_t>;

const Words defines = {
    {"batch", "64"}, {"length", "128"}, {"d_model", "256"}, {"vocab", "8192"}, {"layers", "5"}};

/// The machine's costs of stages with these meshes, one axis each.
class Costs {
 public:
  Costs(const Choice& choice, const predict::Machine& machine, std::int64_t count)
      : machine_(machine) {
    const plan::Models models = models_of(sources_, text_of("models/gpt.mtf"), defines, 5);
    const Model* few = models.find(count, 9);
    REQUIRE(few);
    for (const std::int64_t size : {1, 2, 4}) {
      Choice small = plan::on_submesh(choice, {{{"all", size}}});
      small.pipeline = plan::Pipeline{{{"layers.*"}, 9}, 4, plan::StageCosts::small_cut(2)};
      const auto made =
          plan::Compiler(sources_, {}, machine.chip.detail()).compile_pipeline(small, *few, false);
      const auto mapped = plan::mapped_stages(small, machine);
      REQUIRE(made);
      REQUIRE(mapped);
      costs_.emplace_back(2, *made, std::vector<plan::CompiledPipeline>(),
                          plan::ExampleNames{{"batch"}}, machine, *mapped);
      meshes_.push_back(small.mesh);
    }
  }
  plan::SubmeshProblem problem(std::int64_t processors, std::int64_t iterations, std::int64_t count,
                               int stages) {
    plan::SubmeshProblem made{{}, machine_, processors, iterations, count, stages, 1e30};
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
      asked_.emplace_back(costs_[i], iterations);
      made.submeshes.push_back({meshes_[i], &asked_.back()});
    }
    return made;
  }

 private:
  SourceMap sources_;
  const predict::Machine& machine_;
  std::vector<plan::StageCosts> costs_;
  std::deque<plan::AlikeCosts> asked_;  // of the iterations of problems
  std::vector<Mesh> meshes_;
};

}  // namespace

TEST_CASE("submeshes are powers of two within a node and whole nodes, or of any size") {
  predict::Machine machine = preset("v100");
  CHECK(plan::submesh_sizes(6, machine) == Sizes{1, 2, 3, 4, 5});
  CHECK(plan::submesh_sizes(32, machine) == Sizes{1, 2, 4, 8, 16, 24});
  CHECK(plan::submesh_sizes(1, machine) == Sizes{});
  CHECK(plan::can_deal_out(plan::submeshes_of(32, 2, 16, machine), 48));
  CHECK_FALSE(plan::can_deal_out(plan::submeshes_of(1024, 2, 96, machine), 96));
  CHECK_FALSE(plan::can_deal_out(plan::submeshes_of(1 << 20, 4, 2, machine), 2));
  machine.levels.clear();
  CHECK(plan::submesh_sizes(32, machine) == Sizes{});
  const std::vector<Mesh> meshes = plan::submeshes_of({1, 4}, 2);
  CHECK(joined(meshes, "; ", [](const Mesh& mesh) { return to_string(mesh); }) ==
        "outer=1, inner=1; outer=1, inner=4; outer=2, inner=2; outer=4, inner=1");
  CHECK(to_string(plan::submeshes_of({3}, 1).front()) == "all=3");
}

TEST_CASE("a stage has the rules of the axes that its submesh has") {
  Choice choice{plan::axes_of_submeshes(2), {{"batch", {"outer"}}, {"heads", {"outer", "inner"}}}};
  choice.blocks = {{"layers.*", {plan::Split{"length", {"outer"}}}}};
  const Choice own = plan::on_submesh(choice, {{{"outer", 1}, {"inner", 4}}});
  CHECK(to_string(own.mesh) == "inner=4");
  CHECK(plan::rules_text(own) == "heads:inner");
  choice.rules.push_back({"length", {"inner"}});
  CHECK(plan::rules_text(plan::on_submesh(choice, {{{"outer", 1}, {"inner", 4}}})) ==
        "heads:inner; length:inner; in \"layers.*\" { length:[] }");

  // Parameters are kept as their scope says, over an axis of size 1 too.
  Choice kept{plan::axes_of_submeshes(2), {{"batch", {"outer"}}, {"d", {"inner"}}}};
  kept.kept = {{"d", {"outer"}}, {"e", {"outer"}}};
  CHECK(plan::rules_text(plan::on_submesh(kept, {{{"outer", 1}, {"inner", 4}}})) ==
        "d:inner; param \"**\" { d:[] }");
  CHECK(plan::rules_text(plan::on_submesh(kept, {{{"outer", 4}, {"inner", 1}}})) ==
        "batch:outer; param \"**\" { d:outer; e:outer }");

  Choice even{{{{"all", 4}}}, {{"batch", {"all"}}}};
  even.pipeline = plan::Pipeline{{{"layers.*"}, 8}, 2, {3, 5}};
  const Choice open = plan::with_open_stages(even, 2);
  CHECK(to_string(open.mesh) == "outer=1, inner=1");
  CHECK(plan::rules_text(open) == "batch:inner; pipeline \"layers.*\" { any stages of submeshes }");

  plan::Pipeline cut{{{"layers.*"}, 8}, 2, {3, 5}};
  cut.submeshes = true;
  const Mesh four{{{"outer", 1}, {"inner", 4}}}, two{{{"outer", 1}, {"inner", 2}}};
  cut.meshes = {four, two};
  CHECK(plan::meshes_text(plan::decided(open, cut)) == "outer=1, inner=4+2");
  CHECK(plan::rules_text(plan::decided(open, cut)) ==
        "batch:inner; pipeline \"layers.*\" { stages = 3+5; inner = 4+2 }");
  cut.meshes = {four, four};
  const Choice alike = plan::decided(open, cut);
  CHECK(to_string(alike.mesh) == "inner=4");
  CHECK(plan::rules_text(alike) == "batch:inner; pipeline \"layers.*\" { stages = 3+5 }");
}

TEST_CASE(
    "the dynamic program finds nearly the best of all pipelines, and none is below its bound") {
  const predict::Machine machine = preset("v100");
  constexpr std::int64_t count = 32;
  Costs costs({{{{"all", 1}}}, {{"heads", {"all"}}, {"vocab", {"all"}}}}, machine, count);
  int by_limits = 0;
  for (const auto& [processors, iterations, stages] :
       {std::tuple{8, 9, 5}, {6, 5, 3}, {8, 5, 4}, {3, 4, 2}}) {
    plan::SubmeshProblem problem = costs.problem(processors, iterations, count, stages);
    const auto all = plan::all_pipelines(problem, 100'000);
    REQUIRE(all);
    double even = 0;
    for (const double share : {1e9, 1.0, 0.9}) {
      if (even > 0) problem.memory = even * share;
      INFO(processors << " processors, " << iterations << " iterations, memory " << share);
      double best = 1e30, least = 1e30;
      for (const auto& one : *all)
        for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::gpipe}) {
          const plan::Cut cut = plan::priced(problem, one, schedule).cut;
          least = std::min(least, cut.step);
          if (cut.memory <= problem.memory) best = std::min(best, cut.step);
        }
      for (const Seconds which : {Seconds::all, Seconds::computing, Seconds::floor})
        CHECK(plan::least_step(problem, which) <= least * (1 + 1e-9));
      const double within = plan::least_within(problem, problem.memory);
      CHECK(within <= best * (1 + 1e-9));
      CHECK(within >= plan::least_step(problem, Seconds::all) * (1 - 1e-9));
      CHECK(plan::least_step(problem, Seconds::all) >= 0.7 * least);  // but for messages
      const auto found = plan::best_cuts(problem);
      REQUIRE(found);
      const plan::Cut& cut = found->best.cut;
      CHECK((cut.memory <= problem.memory) == (best < 1e30));
      if (best < 1e30) CHECK(cut.step <= best * 1.03);
      by_limits += !cut.all;
      if (even == 0) even = cut.memory;
    }
  }
  CHECK(by_limits > 0);
}

TEST_CASE("pipelines of submeshes priced from a small one are those that cost predicts") {
  SourceMap sources;
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), defines, 5);
  const Model& model = *models.find(1);
  const predict::Machine machine = preset("a100_80");
  plan::Space space = plan::space_of(model, {});
  space.microbatches = {1, 2, 4, 8, 16};
  space.chain = {{"layers.*"}, 5};
  space.submeshes = plan::submeshes_of(6, 2, 3, machine);
  const plan::NamedWork work(space, models, sources, machine);
  const plan::Bounds bounds(space, work, machine);
  plan::Pricer pricer(models, sources, machine, {}, space.submeshes);
  const Choice none{plan::axes_of_submeshes(2), {}};
  Choice tensor = none, both = none;
  tensor.rules = {{"heads", {"inner"}}, {"d_ff", {"inner"}}, {"vocab", {"inner"}}};
  both.rules = {{"batch", {"outer"}}, {"d_ff", {"inner"}}, {"vocab", {"inner"}}};
  int seen = 0;  // by day each choice and each count
  for (Choice choice : {tensor, both})
    for (const std::int64_t count : {4, 16}) {
      if (const int at = seen++; !test::is_nightly() && at != 0 && at != 3) continue;
      choice.pipeline = plan::Pipeline{{{"layers.*"}, 5}, 0};
      choice.pipeline->submeshes = true;
      choice.microbatches = count;
      const std::optional<Price> price = pricer.predicted(choice, 1e18);
      REQUIRE(price);
      Choice cut = choice;
      cut.pipeline = price->pipeline;
      INFO(plan::meshes_text(cut) << ": " << plan::description(cut));
      CHECK(plan::uncut(cut) == choice);
      const std::optional<Price> whole = pricer.whole(cut), again = pricer.estimated(cut);
      REQUIRE(whole);
      REQUIRE(again);
      CHECK(again->step == Approx(price->step));
      CHECK(price->step == Approx(whole->step).epsilon(0.02));
      CHECK(price->memory == Approx(whole->memory).epsilon(0.1));
      CHECK(price->floor <= whole->floor * (1 + 1e-9));
      CHECK(price->least <= whole->step * 1.02);
      const double exactly = bounds.submesh_seconds(choice, space.submeshes, count, true);
      CHECK(exactly <= whole->floor * (1 + 1e-9));
      CHECK(bounds.submesh_seconds(choice, space.submeshes, 16, false) <= exactly * (1 + 1e-9));
    }
}

}  // namespace plan_submeshes_test
