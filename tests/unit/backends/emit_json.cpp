#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "backends/emit/json/emit_json.h"
#include "lab.h"

namespace backends_emit_json_test {

using namespace lab;

TEST_CASE("a module as JSON") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const AxisId a0 = axis(0), a1 = axis(1);
  const DimId b = lab.dim("b", 8), k = lab.dim("k", 4);
  const ValueId x = lab.feed(lab.type({b, k}, {{b, {a0}}, {k, {a1}}}));
  const ValueId sum = lab.add(Reduce{Combine::sum, {k}}, {x}, lab.type({b}, {{b, {a0}}}, {a1}));
  lab.program().values[sum.at()].name = "total \"of\" \xff k";  // no UTF-8, quotes
  lab.fetch(lab.add(AllReduce{Combine::sum, {a1}}, {sum}, lab.type({b}, {{b, {a0}}})));
  lab.module.variables.push_back({"w", lab.type({k}, {{k, {a1}}}), Variable::Kind::optimizer});
  const auto json = nlohmann::json::parse(backends::emit_json(lab.module, nullptr, SourceMap{}));
  CHECK(json["schema"] == 3);
  CHECK(json["mesh"]["processors"] == 4);
  CHECK(json["dims"][0]["size"] == 8);
  CHECK(json["variables"][0]["type"]["dims"][0]["shard"] == 2);
  const auto& reduce = json["programs"][0]["instructions"][1];
  CHECK(reduce["kind"] == "reduce");
  CHECK(reduce["attributes"]["reduced"][0] == "k");
  CHECK(reduce["results"][0]["type"]["partial"]["axes"][0] == "cols");
  CHECK(json["programs"][0]["instructions"][2]["operands"][0] == reduce["results"][0]["id"]);
}

TEST_CASE("stages as JSON: what they have together, or each its own where meshes differ") {
  const auto stage = [](std::int64_t rows) {
    Lab lab({{"rows", rows}});
    const DimId b = lab.dim("b", 8);
    lab.fetch(lab.feed(lab.type({b}, {{b, {axis(0)}}})));
    lab.program().name = "run." + std::to_string(rows);
    lab.module.model_path = "m.mtf";
    lab.module.variables.push_back({"cross.run.0", lab.type({b}, {{b, {axis(0)}}}), {}});
    return lab.module;
  };
  const auto emitted = [](const Module& together, std::vector<Module> stages) {
    PipelineModule pipeline;
    pipeline.shape.stages = static_cast<int>(stages.size());
    pipeline.stages = std::move(stages);
    return nlohmann::json::parse(backends::emit_json(together, nullptr, SourceMap{}, &pipeline));
  };
  const auto alike = emitted(stage(2), {stage(2), stage(2)});
  CHECK(alike["mesh"]["processors"] == 2);
  CHECK_FALSE(alike.contains("stages"));
  const auto apart = emitted({}, {stage(2), stage(4)});
  CHECK(apart["schema"] == 3);
  CHECK(apart["model"] == "m.mtf");
  for (const char* own : {"mesh", "dims", "variables", "inputs", "programs"}) {
    CHECK_FALSE(apart.contains(own));
    CHECK(apart["stages"][1].contains(own));
  }
  for (const std::size_t i : {0, 1}) {
    const auto& of = apart["stages"][i];
    CHECK(of["mesh"]["processors"] == (i == 0 ? 2 : 4));
    CHECK(of["variables"][0]["type"]["dims"][0]["shard"] == (i == 0 ? 4 : 2));
    CHECK(of["programs"][0]["instructions"][0]["results"][0]["type"]["dims"][0]["shard"] ==
          (i == 0 ? 4 : 2));
  }
}

}  // namespace backends_emit_json_test
