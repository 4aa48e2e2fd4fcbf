// Layouts less one of their rules.
#include "layout/without_rule.h"

#include <catch2/catch.hpp>

#include "frontend/layout/parse_layout.h"

namespace layout_without_rule_test {

using namespace mtfc;
using Texts = std::vector<std::string>;

namespace {

const char* const kText =
    "mesh rows=2, cols=2\nbatch:rows ; hidden!:cols ; d*?:rows+cols\nset update=sharded\n"
    "param \"**\", \"a.b\" { d:rows }\nin \"layers.*\" { d:[] ; batch:cols }\n"
    "pipeline \"layers.*\" { stages = 2 }\n";

Layout parsed() {
  SourceMap sources;
  Diagnostics found;
  const auto layout = parse_layout(sources, sources.add("test.layout", kText), found);
  REQUIRE(layout);
  return *layout;
}

}  // namespace

TEST_CASE("the rules of a layout have texts, in order") {
  CHECK(lowering::rule_texts(parsed()) ==
        Texts{"batch:rows", "hidden:cols", "d*:rows+cols", "param \"**\" d:rows",
              "param \"a.b\" d:rows", "in \"layers.*\" d:[]", "in \"layers.*\" batch:cols",
              "pipeline", "update=sharded"});
  CHECK(lowering::rule_texts(Layout{}).empty());
}

TEST_CASE("each text takes out its rule and nothing else, however it is spaced") {
  const Texts all = lowering::rule_texts(parsed());
  for (const std::string& text : all) {
    INFO(text);
    Layout layout = parsed();
    CHECK(lowering::remove_rule(layout, " " + text + " "));
    Texts rest = all;
    std::erase(rest, text);
    CHECK(lowering::rule_texts(layout) == rest);
    CHECK_FALSE(lowering::remove_rule(layout, text));
    CHECK(layout.settings.size() == layout.setting_spans.size());
  }
  Layout layout = parsed();
  CHECK(lowering::remove_rule(layout, "hidden! : cols"));
  CHECK(lowering::remove_rule(layout, "set update=sharded"));
  CHECK(lowering::remove_rule(layout, "in \"layers.*\" { d:[] }"));
  CHECK_FALSE(lowering::remove_rule(layout, "d:rows"));  // of a scope, which is not named
  CHECK_FALSE(lowering::remove_rule(layout, ""));
  CHECK(lowering::rule_texts(layout).size() == all.size() - 3);
}

}  // namespace layout_without_rule_test
