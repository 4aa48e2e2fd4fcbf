#include "unit/plan/lab.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "frontend/elaborate/elaborate.h"
#include "lowering/pipeline.h"
#include "plan/space/variants.h"
#include "unit/predict/lab.h"

namespace plan_lab {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(MTFC_SOURCE_DIR) + "/" + path).rdbuf();
  return text.str();
}

std::optional<Model> model_of(SourceMap& sources, const std::string& text, const Words& defines,
                              const Words& settings) {
  Diagnostics diagnostics;
  const FileId file = sources.add(std::string(MTFC_SOURCE_DIR) + "/models/test.mtf", text);
  std::optional<Model> model = elaborate(sources, file, {defines, settings, {}}, diagnostics);
  if (model && !lowering::run_before_layout(*model, {}, diagnostics)) model.reset();
  return model;
}

plan::Models models_of(SourceMap& sources, const std::string& text, const Words& defines,
                       std::int64_t iterations) {
  const auto make = [&sources, text, defines](std::int64_t microbatches, std::int64_t layers) {
    Words all = defines;
    if (layers > 0) all.emplace_back("layers", std::to_string(layers));
    return model_of(sources, text, all, {{"train.microbatches", std::to_string(microbatches)}});
  };
  return {make, iterations};
}

plan::Choice random_choice(const plan::Space& space, const DimTable& dims, std::mt19937& random) {
  const auto below = [&](std::size_t count) { return random() % count; };
  const Mesh& mesh = space.meshes[below(space.meshes.size())];
  const auto rules = plan::legal_rules(space, mesh, dims, 100000).value();
  plan::Choice choice{mesh, rules[below(rules.size())]};
  choice.microbatches = space.microbatches[below(space.microbatches.size())];
  const std::vector<plan::Choice> variants = plan::variants_of(space, choice, dims);
  const std::size_t which = below(variants.size() + 1);
  return which == variants.size() ? choice : variants[which];
}

predict::Machine preset(const std::string& name) {
  for (const predict::Preset& one : predict::presets()) {
    if (one.name != name) continue;
    SourceMap sources;
    Diagnostics found;
    const auto layout = parse_layout(sources, sources.add("preset", std::string(one.text)), found);
    REQUIRE(layout);
    const auto machine = predict::read_machine(layout->hardware.at(0), {}, found);
    REQUIRE(machine);
    return *machine;
  }
  FAIL("no such preset");
  return {};
}

}  // namespace plan_lab
