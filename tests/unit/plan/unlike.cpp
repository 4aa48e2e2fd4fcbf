// Pipelines of blocks that are not alike: what may be cut apart, and what cuts are said to cost.
#include <catch2/catch.hpp>
#include <random>

#include "frontend/layout/parse_layout.h"
#include "plan/price/bounds.h"
#include "plan/price/pricing.h"
#include "plan/price/unlike_costs.h"
#include "plan/space/chain.h"
#include "support/text.h"
#include "unit/plan/lab.h"

namespace plan_unlike_test {

using namespace plan_lab;
using plan::Choice;
using plan::Price;

namespace {

/// Eight blocks of three widths.
const char* const funnel = R"(use "nn.mtf"
dim batch = 256, d = 512, wide = 2048, repeats = 3
input x[batch, d] from gaussian(seed=1)
input y[batch, d] from gaussian(seed=2)
h = tanh(dense@first(x over d -> wide))
repeat repeats { h = tanh(dense@same(h over wide -> wide)) }
h = tanh(dense@narrow(h over wide -> d))
h = tanh(dense@low1(h over d -> d))
h = tanh(dense@low2(h over d -> d))
h = dense@last(h over d -> d)
loss mean(square(h - y))
train { optimizer = adam(lr=0.001)  steps = 2 }
)";

const plan::Chain funnel_chain{{"first", "repeats.*", "narrow", "low*", "last"}, 8, false};

std::string chain_text(const std::string& text) {
  SourceMap sources;
  const std::optional<Model> model = model_of(sources, text);
  REQUIRE(model);
  const plan::Chain chain = plan::chain_of(*model);
  return std::to_string(chain.blocks) + (chain.alike ? " alike: " : ": ") + plan::text_of(chain);
}

/// A stage of one block each, whatever the layout.
std::unique_ptr<plan::UnlikeCosts> costs_of(const Choice& choice, const Model& model,
                                            const SourceMap& sources,
                                            const predict::Machine& machine) {
  plan::Compiler compiler(sources, {}, machine.chip.detail());
  const auto mapped = plan::mapped_stages(choice, machine);
  REQUIRE(mapped);
  return plan::UnlikeCosts::of(
      choice.pipeline->chain.blocks,
      [&](const std::vector<std::int64_t>& cut) {
        Choice one = choice;
        one.pipeline->blocks = cut;
        one.pipeline->stages = static_cast<int>(cut.size());
        return compiler.compile_pipeline(one, model, false);
      },
      {{"batch"}}, machine, *mapped);
}

}  // namespace

TEST_CASE("a chain is what a model repeats, or its outermost blocks with parameters") {
  CHECK(chain_text(text_of("models/gpt.mtf")) == R"(4 alike: "layers.*")");
  CHECK(chain_text(text_of("models/resnet.mtf")) ==
        R"(18: "stem", "stage*", "blocks*.*", "logits")");
  CHECK(chain_text(text_of("models/mnist.mtf")) == R"(3: "fc*", "out")");
  CHECK(chain_text(text_of("models/number_words.mtf")) ==
        R"(11: "embed", "source_pos", "encoder.layers.*", "encoder.norm", "target_pos", )"
        R"("decoder.layers.*", "decoder.norm", "softmax")");
  CHECK(chain_text(text_of("models/two_layer.mtf")) == "0 alike: ");
  // `b*` would match the third, too.
  CHECK(chain_text(R"(dim n = 4, d = 4
input x[n, d] from gaussian(seed=1)
block one(x) {
  param w[d, d'] ~ fan_in(over d)
  return einsum(x, w over d)[d' -> d]
}
block none(x) { return 2 * x }
h = one@b1(x)
h = one@b2(h)
h = none@b(h)
loss mean(h)
train { optimizer = sgd(lr=0.1)  steps = 2 }
)") == R"(2: "b1", "b2")");
}

/// Cuts at random, into two, three and four stages.
void check_cuts(const plan::Models& models, const SourceMap& sources, const plan::Chain& chain,
                Choice choice, double off = 0.02) {
  constexpr std::int64_t count = 8;
  const Model& model = *models.find(count);
  const predict::Machine machine = preset("v100");
  plan::Pricer pricer(models, sources, machine, {});
  choice.microbatches = count;
  std::mt19937 random(5);
  for (const int stages : {2, 3, 4}) {
    choice.pipeline = plan::Pipeline{chain, stages};
    const std::int64_t blocks = chain.blocks;
    const auto costs = costs_of(choice, model, sources, machine);
    REQUIRE(costs);
    const plan::SubmeshProblem problem{{{choice.mesh, costs.get()}},
                                       machine,
                                       choice.mesh.processors() * stages,
                                       blocks,
                                       count,
                                       stages,
                                       1e18};
    std::vector<plan::SubmeshStage> parts;
    std::int64_t left = blocks;
    for (int i = stages; i > 0; --i) {
      const std::int64_t most = left - (i - 1);
      const std::int64_t own = i == 1 ? left : 1 + static_cast<std::int64_t>(random()) % most;
      parts.push_back({0, own});
      left -= own;
    }
    const Schedule schedule = stages == 3 ? Schedule::gpipe : Schedule::one_f_one_b;
    const plan::Cut cut = plan::priced(problem, parts, schedule).cut;
    choice.pipeline->blocks = cut.blocks;
    choice.pipeline->schedule = schedule;
    INFO(plan::description(choice));
    const std::optional<Price> whole = pricer.whole(choice);
    REQUIRE(whole);
    CHECK(cut.step == Approx(whole->step).epsilon(off));
    CHECK(cut.memory == Approx(whole->memory).epsilon(0.1));
    CHECK(plan::least_step(problem, plan::Seconds::all) <= cut.step * (1 + 1e-9));
  }
}

TEST_CASE("any cut of blocks that are not alike is priced as it is predicted") {
  SourceMap sources;
  const plan::Models models = models_of(sources, funnel, {});
  Choice data{{{{"all", 2}}}, {{"batch", {"all"}}}};
  Choice wide{{{{"all", 2}}}, {{"wide", {"all"}}}};
  Choice kept = data, again = data;
  kept.sharded_update = true;
  again.recompute = plan::Recompute::full;
  for (const Choice& choice : {data, wide, kept, again})
    check_cuts(models, sources, funnel_chain, choice);
}

TEST_CASE("any cut of a residual network is priced as it is predicted") {
  SourceMap sources;
  const plan::Models models = models_of(sources, text_of("models/resnet.mtf"),
                                        {{"batch", "64"},
                                         {"row", "56"},
                                         {"col", "56"},
                                         {"filters", "64"},
                                         {"blocks2", "1"},
                                         {"blocks3", "2"},
                                         {"class", "64"}});
  check_cuts(models, sources, plan::chain_of(*models.find(1)),
             {{{{"all", 4}}}, {{"wide3", {"all"}}, {"wide4", {"all"}}}});
}

TEST_CASE("any cut of an encoder and a decoder is priced as it is predicted") {
  SourceMap sources;
  const plan::Models models =
      models_of(sources, text_of("models/number_words.mtf"),
                {{"batch", "64"}, {"d_model", "256"}, {"d_ff", "1024"}, {"layers", "3"}});
  check_cuts(models, sources, plan::chain_of(*models.find(1)),
             {{{{"all", 2}}}, {{"batch", {"all"}}}}, 0.05);
}

TEST_CASE("no bound of a pipeline that is kept with chunks is too high") {
  SourceMap sources;
  Diagnostics found;
  const auto layout = parse_layout(sources,
                                   sources.add("kept", "pipeline " + plan::text_of(funnel_chain) +
                                                           " { stages = 2; chunks = 2 }"),
                                   found);
  REQUIRE(layout);
  const plan::Models models = models_of(sources, funnel, {});
  const predict::Machine machine = preset("v100");
  plan::Space space = plan::space_of(*models.find(1), {});
  space.microbatches = {1, 2, 4, 8};
  const plan::NamedWork work(space, models, sources, machine);
  const plan::Bounds bounds(space, work, machine);
  plan::Pricer pricer(models, sources, machine, *layout);
  Choice choice{{{{"all", 2}}}, {{"batch", {"all"}}}};
  choice.pipeline = plan::Pipeline{funnel_chain, 2};
  choice.pipeline->given = true;
  choice.pipeline->chunks = 2;
  for (const std::int64_t count : {2, 4, 8}) {
    choice.microbatches = count;
    const std::optional<Price> whole = pricer.whole(choice);
    REQUIRE(whole);
    CHECK(bounds.pipeline_seconds(choice, count, true) <= whole->floor * (1 + 1e-9));
    CHECK(bounds.pipeline_seconds(choice, 8, false) <= whole->floor * (1 + 1e-9));
  }
}

TEST_CASE("the best cut of blocks that are not alike is nearly that of all cuts") {
  SourceMap sources;
  const plan::Models models = models_of(sources, funnel, {});
  const predict::Machine machine = preset("v100");
  plan::Pricer pricer(models, sources, machine, {});
  Choice choice{{{{"all", 2}}}, {{"batch", {"all"}}}};
  choice.microbatches = 8;
  choice.pipeline = plan::Pipeline{funnel_chain, 2};
  const auto all = plan::all_cuts(funnel_chain.blocks, 2, 100);
  REQUIRE(all);
  double best_of_all = 0;
  for (const double share : {1e9, 1.0, 0.8}) {
    const double memory = best_of_all > 0 ? best_of_all * share : 1e18;
    double best = 1e30;
    for (const auto& blocks : *all)
      for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::gpipe}) {
        Choice cut = choice;
        cut.pipeline->blocks = blocks;
        cut.pipeline->schedule = schedule;
        const std::optional<Price> price = pricer.whole(cut);
        REQUIRE(price);
        if (price->memory <= memory) best = std::min(best, price->step);
      }
    const std::optional<Price> found = pricer.predicted(choice, memory);
    REQUIRE(found);
    REQUIRE(found->pipeline);
    Choice cut = choice;
    cut.pipeline = found->pipeline;
    INFO(plan::description(cut) << ", memory " << memory);
    const std::optional<Price> whole = pricer.whole(cut);
    REQUIRE(whole);
    if (best < 1e30) CHECK(whole->step <= best * 1.02);
    CHECK(found->least <= best * 1.02);
    CHECK(found->floor <= best);
    if (best_of_all == 0) best_of_all = whole->memory;
  }
}

}  // namespace plan_unlike_test
