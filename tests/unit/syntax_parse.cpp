#include <catch2/catch.hpp>

#include "frontend/syntax/parse.h"

using namespace mtfc;

TEST_CASE("an empty file is a model without statements") {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto parsed = parse_model(sources, sources.add("m.mtf", ""), diagnostics);
  REQUIRE(parsed);
  CHECK(parsed->body.empty());
}
