// What ranks the places where climbs begin.
#include "plan/price/estimates.h"

#include <catch2/catch.hpp>

#include "unit/plan/lab.h"

namespace plan_estimates_test {

using namespace plan_lab;
using plan::Choice;

TEST_CASE("estimates know which dimensions are cheap to split") {
  SourceMap sources;
  const Words defines = {{"batch", "64"}, {"length", "512"}, {"d_model", "1024"}, {"layers", "8"}};
  const plan::Models models = models_of(sources, text_of("models/gpt.mtf"), defines, 8);
  const Model& model = *models.find(1);
  const predict::Machine machine = preset("a100_80");
  const plan::Space space = plan::space_of(model, plan::meshes_of(8, 2));
  const plan::NamedWork work(space, models, sources, machine);
  plan::Estimates estimates(work, machine);
  const auto seconds = [&](const std::vector<std::string>& dims) {
    Choice choice{{{{"all", 8}}}};
    for (const std::string& dim : dims) choice.rules.push_back({dim, {"all"}});
    return estimates.seconds(choice);
  };
  CHECK(seconds({"heads", "d_ff"}) < seconds({"heads"}));
  CHECK(seconds({"heads"}) < seconds({"d_head"}));  // scores need not be added up
  CHECK(seconds({"d_head"}) < seconds({}) * 2);

  // Stages: nearly a share of the work each, and waiting.
  Choice staged{{}};
  staged.pipeline = plan::Pipeline{{{"layers.*"}, 8}, 8};
  staged.microbatches = 8;
  CHECK(estimates.seconds(staged) > seconds({}) / 8 * 1.5);
  CHECK(estimates.seconds(staged) < seconds({}) / 8 * 2.5);
}

}  // namespace plan_estimates_test
