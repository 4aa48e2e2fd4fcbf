// What a plan says of pipelines: prices from a small one, cuts, and bounds.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "cost/pipeline_cost.h"
#include "layout/assignment.h"
#include "layout/stages.h"
#include "lowering/stages/deal_out.h"
#include "plan/price/bounds.h"
#include "plan/price/cut.h"
#include "plan/price/pricing.h"
#include "plan/space/variants.h"
#include "predict/predict_pipeline.h"
#include "unit/plan/lab.h"
#include "unit/support/nightly.h"

namespace plan_pipelines_test {

using namespace plan_lab;
using plan::Choice;
using plan::Price;

namespace {

struct Expected {
  double step = 0, memory = 0;
};
/// As `mtfc cost` has it.
Expected expected(const Choice& choice, const Model& model, const SourceMap& sources,
                  const predict::Machine& machine) {
  Diagnostics silent;
  const auto assignment = lowering::resolve(plan::layout_of(choice), std::nullopt, model, silent);
  REQUIRE(assignment);
  const auto mapped = plan::mapped_stages(choice, machine);
  REQUIRE(mapped);
  const PipelineModule module = lowering::lower_pipeline(model, *assignment, {});
  const cost::PipelineCost cost = cost::cost_of_pipeline(module, sources, machine.chip.detail());
  return {predict::predict(module, cost, machine, *mapped).step,
          static_cast<double>(cost.most_memory())};
}

}  // namespace

TEST_CASE("pipelines priced from a small one are those that cost predicts") {
  SourceMap sources;
  const Words defines = {
      {"batch", "64"}, {"length", "256"}, {"d_model", "512"}, {"vocab", "512"}, {"layers", "12"}};
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), defines, 12);
  const Model& model = *models.find(1);
  const predict::Machine machine = preset("a100_80");
  plan::Space space = plan::space_of(model, plan::meshes_of(8, 2));
  space.staged = plan::staged_meshes_of(8, 2, 8);
  space.microbatches = {1, 2, 4, 8, 16};
  const plan::NamedWork work(space, models, sources, machine);
  const plan::Bounds bounds(space, work, machine);
  plan::Pricer pricer(models, sources, machine, {});
  std::mt19937 random(3);
  int checked = 0;
  const int tried = test::is_nightly() ? 40 : 4;
  for (int i = 0; i < tried; ++i) {
    const auto below = [&](std::size_t count) { return random() % count; };
    const plan::StagedMesh& staged = space.staged[below(space.staged.size())];
    const auto rules = plan::legal_rules(space, staged.mesh, model.dims, 100000).value();
    Choice choice{staged.mesh, rules[below(rules.size())]};
    choice.pipeline = plan::Pipeline{{{"layers.*"}, 12}, staged.stages};
    choice.microbatches = space.microbatches[1 + below(4)];
    const Choice bare = choice;
    const auto variants = plan::variants_of(space, choice, model.dims);
    if (!variants.empty() && below(2) == 0) choice = variants[below(variants.size())];
    INFO(to_string(choice.mesh) << ": " << plan::description(choice));
    const std::optional<Price> price = pricer.predicted(choice, 1e18);
    if (!price) continue;
    choice.pipeline = price->pipeline;
    const std::optional<Price> whole = pricer.whole(choice);
    REQUIRE(whole);
    CHECK(price->step == Approx(whole->step).epsilon(0.02));
    CHECK(price->memory == Approx(whole->memory).epsilon(0.1));
    CHECK(price->least <= whole->step * 1.02);
    CHECK(price->floor <= whole->floor * (1 + 1e-9));
    if (checked % 4 == 0) {
      const Expected wanted = expected(choice, *models.find(choice.microbatches), sources, machine);
      CHECK(whole->step == Approx(wanted.step).epsilon(1e-12));
      CHECK(whole->memory == wanted.memory);
    }
    const std::optional<Price> plain = pricer.predicted(bare, 1e18);
    REQUIRE(plain);
    CHECK(plain->floor <= whole->step * 1.0001);
    CHECK(bounds.pipeline_seconds(choice, choice.microbatches, true) <= plain->floor * (1 + 1e-9));
    CHECK(bounds.pipeline_seconds(choice, 16, false) <=
          bounds.pipeline_seconds(choice, choice.microbatches, true) * (1 + 1e-9));
    ++checked;
  }
  CHECK(checked > tried / 3);
}

TEST_CASE("stages of one iteration are priced as what they hold, not as less of what two do") {
  SourceMap sources;
  const Words defines = {
      {"batch", "64"}, {"length", "64"}, {"d_model", "256"}, {"vocab", "128"}, {"layers", "3"}};
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), defines, 3);
  const predict::Machine machine = preset("a100_80");
  plan::Pricer pricer(models, sources, machine, {});
  Choice kept{{{{"all", 4}}}, {{"batch", {"all"}}}};
  kept.kept = {{"d_model", {"all"}}};
  kept.microbatches = 4;
  for (const int stages : {2, 3}) {
    kept.pipeline = plan::Pipeline{{{"layers.*"}, 3}, stages};
    const std::optional<Price> price = pricer.predicted(kept, 1e18);
    REQUIRE(price);
    Choice cut = kept;
    cut.pipeline = price->pipeline;
    const std::optional<Price> whole = pricer.whole(cut);
    REQUIRE(whole);
    CHECK(price->step == Approx(whole->step).epsilon(1e-3));
    CHECK(price->memory == Approx(whole->memory).epsilon(1e-3));
  }
}

TEST_CASE("beside the best cut are those that may be better than few iterations say") {
  // Cuts of two stages, of so many bytes and seconds.
  const auto cut = [](std::int64_t first, double memory, double step) {
    plan::Cut made{{first, 9 - first}};
    made.memory = memory;
    made.step = step;
    return made;
  };
  const std::vector<plan::Cut> all = {cut(1, 10, 3),   cut(2, 10.5, 2),  cut(3, 20, 1),
                                      cut(4, 9, 3.05), cut(5, 10, 3.07), cut(6, 1, 3.01)};
  const auto near = [&](std::size_t best, double memory) {
    plan::Cuts<plan::Cut> cuts{all[best]};
    plan::set_near(cuts, all, memory, {{0.02, 0.1}, {0.02, 0.1}});
    std::string text;
    for (const plan::Cut& one : cuts.near) text += std::to_string(one.blocks[0]) + " ";
    return text;
  };
  CHECK(near(0, 10.2) == "2 1 6 4 5 ");  // one takes a little more; slower ones may take its place
  CHECK(near(1, 11) == "2 1 6 4 5 ");    // the faster one takes much more
  CHECK(near(1, 19) == "3 2 1 6 4 5 ");
  CHECK(near(5, 0.8) == "");  // nothing is near to fitting
  CHECK(near(5, 9) == "1 6 4 5 ");
  CHECK(near(0, 9.5) == "2 1 6 4 5 ");
  plan::Cuts<plan::Cut> many{cut(1, 1, 1)};
  std::vector<plan::Cut> slower = {cut(1, 1, 1), cut(3, 40, 1.5)};
  for (int i = 0; i < 298; ++i) slower.push_back(cut(2, 1, 2 + i));
  plan::set_near(many, slower, 10, {{0.02, 0.1}, {0.02, 0.1}});
  CHECK(many.near.size() == 16);
  // The rest by how far few iterations have to be off: of one's memory by 75 %, which is less than
  // 50 % of time.
  REQUIRE(many.far.size() == 256);
  CHECK(many.far.front().step == 1.5);
  CHECK(many.far[1].step == 17);
  CHECK(many.beyond == 272);  // seconds of the first that is left out
  CHECK(many.further == Approx(1 - 1 / 272.));
}

TEST_CASE("stages of several chunks priced from a small pipeline are those that cost predicts") {
  SourceMap sources;
  const Words defines = {
      {"batch", "64"}, {"length", "256"}, {"d_model", "512"}, {"vocab", "512"}, {"layers", "12"}};
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), defines, 12);
  const predict::Machine machine = preset("a100_80");
  plan::Space space = plan::space_of(*models.find(1), plan::meshes_of(8, 2));
  space.microbatches = {1, 2, 4, 8, 16};
  const plan::NamedWork work(space, models, sources, machine);
  const plan::Bounds bounds(space, work, machine);
  plan::Pricer pricer(models, sources, machine, {});
  Choice split{{{{"all", 2}}}, {{"heads", {"all"}}, {"d_ff", {"all"}}}};
  Choice kept{{{{"all", 2}}}, {{"batch", {"all"}}}};
  kept.kept = {{"d_model", {"all"}}};
  Choice again = split;
  again.recompute = plan::Recompute::selective;
  int checked = 0, seen = 0;
  for (Choice choice : {split, kept, again})
    for (const auto& [stages, chunks, count] : {std::tuple{2, 6, 8}, {4, 3, 4}}) {
      // By day each choice and each number of chunks: 1, 4 and 5 of the six.
      if (const int at = seen++; !test::is_nightly() && at != 0 && at != 3 && at != 4) continue;
      choice.microbatches = count;
      choice.pipeline = plan::Pipeline{{{"layers.*"}, 12}, stages};
      INFO(plan::description(choice) << ", " << chunks << " chunks");
      const Model* few = models.find(count, 9);
      REQUIRE(few);
      const auto mapped = plan::mapped_stages(choice, machine);
      REQUIRE(mapped);
      Choice small = choice;
      small.pipeline->blocks = plan::StageCosts::small_cut(2);
      small.pipeline->stages = 4;
      const auto made =
          plan::Compiler(sources, {}, machine.chip.detail()).compile_pipeline(small, *few, false);
      REQUIRE(made);
      const plan::StageCosts costs(2, *made, {}, {{"batch"}}, machine, *mapped);
      const plan::CutProblem problem{costs, stages, 12, count, 1e30};
      const plan::Cut cut =
          plan::priced(problem, lowering::even_blocks(12, stages), Schedule::interleaved, chunks);
      choice.pipeline->blocks = cut.blocks;
      choice.pipeline->schedule = Schedule::interleaved;
      choice.pipeline->chunks = chunks;
      const std::optional<Price> whole = pricer.whole(choice);
      REQUIRE(whole);
      CHECK(cut.step == Approx(whole->step).epsilon(0.02));
      CHECK(cut.memory == Approx(whole->memory).epsilon(0.05));
      if (checked == 0) {
        const Expected wanted = expected(choice, *models.find(count), sources, machine);
        CHECK(whole->step == Approx(wanted.step).epsilon(1e-12));
        CHECK(whole->memory == wanted.memory);
      }
      CHECK(plan::least_step(problem, plan::Seconds::all) <= cut.step * (1 + 1e-9));
      CHECK(whole->floor <= whole->step);
      CHECK(bounds.pipeline_seconds(choice, count, true) <= whole->floor * (1 + 1e-9));
      CHECK(bounds.pipeline_seconds(choice, 16, false) <=
            bounds.pipeline_seconds(choice, count, true) * (1 + 1e-9));
      ++checked;
    }
  CHECK(checked == (test::is_nightly() ? 6 : 3));
}

TEST_CASE("of few candidates the best cut is nearly that of all, and none goes below the bound") {
  SourceMap sources;
  const Words defines = {{"batch", "512"}, {"length", "512"}, {"d_model", "256"}, {"layers", "9"}};
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), defines, 9);
  const Model& model = *models.find(64, 9);
  predict::Machine machine = preset("v100");
  machine.levels.front().size = 64;  // all stages in one node: what they send matters little
  Choice choice{{{{"all", 2}}}, {{"heads", {"all"}}}};
  choice.microbatches = 64;
  choice.pipeline = plan::Pipeline{{{"layers.*"}, 9}, 4, plan::StageCosts::small_cut(2)};
  const auto made =
      plan::Compiler(sources, {}, machine.chip.detail()).compile_pipeline(choice, model, false);
  REQUIRE(made);
  double most = 0, least = 1e30;
  int limited = 0;
  for (const auto& [stages, iterations] : {std::pair{4, 13}, {4, 8}, {5, 12}, {6, 11}}) {
    const auto all = plan::all_cuts(iterations, stages, 1000);
    REQUIRE(all);
    choice.pipeline->stages = stages;
    const auto mapped = plan::mapped_stages(choice, machine);
    REQUIRE(mapped);
    const plan::StageCosts costs(2, *made, {}, {{"batch"}}, machine, *mapped);
    for (const double share : {1e9, 1.02, 1.0, 0.97, 0.94, 0.8}) {
      plan::CutProblem problem{costs, stages, iterations, 64, 1e30};
      const double even =
          plan::priced(problem, lowering::even_blocks(iterations, stages), Schedule::one_f_one_b)
              .memory;
      problem.memory = even * share;
      INFO(stages << " stages, " << iterations << " iterations, memory " << share);
      double best = 1e30;
      for (const auto& blocks : *all)
        for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::gpipe})
          if (const plan::Cut cut = plan::priced(problem, blocks, schedule);
              cut.memory <= problem.memory)
            best = std::min(best, cut.step);
      // What is not listed is bound by what fits.
      const double within = plan::least_within(problem, problem.memory);
      CHECK(within <= best * (1 + 1e-9));
      CHECK(std::isfinite(within) == (best < 1e30));
      limited += within > plan::least_step(problem, plan::Seconds::all) * 1.001;
      if (lowering::can_interleave(stages, 64))
        for (const int chunks : plan::chunk_numbers(iterations, stages))
          if (const plan::Cut cut = plan::priced(problem, lowering::even_blocks(iterations, stages),
                                                 Schedule::interleaved, chunks);
              cut.memory <= problem.memory)
            best = std::min(best, cut.step);
      const plan::Cut found = plan::best_cuts(problem).best;
      CHECK((found.memory <= problem.memory) == (best < 1e30));
      if (best == 1e30) continue;
      CHECK(found.step <= best * 1.01);
      CHECK(plan::least_step(problem, plan::Seconds::all) <= best);
      if (stages == 4) most = std::max(most, found.step), least = std::min(least, found.step);
    }
  }
  CHECK(most > least);  // memory matters
  CHECK(limited > 2);
}

}  // namespace plan_pipelines_test
