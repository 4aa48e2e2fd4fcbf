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

}  // namespace backends_emit_json_test
