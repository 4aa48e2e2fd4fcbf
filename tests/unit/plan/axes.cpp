// From a mesh to those with an axis more or fewer.
#include "plan/space/axes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace plan_axes_test {

using namespace mtfc;
using plan::Choice;

namespace {

std::vector<std::string> texts(const plan::Space& space, const Choice& choice) {
  std::vector<std::string> all;
  for (const Choice& one : plan::with_other_axes(space, choice))
    all.push_back(to_string(one.mesh) + ": " + plan::rules_text(one));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("one axis takes over another's processors, or becomes two that split what it did") {
  plan::Space space;
  space.meshes = plan::meshes_of(8, 3);
  Choice two{{{{"outer", 4}, {"inner", 2}}}, {{"batch", {"outer"}}, {"heads", {"inner"}}}};
  two.kept.push_back({"d_model", {"outer"}});
  CHECK(texts(space, two) ==
        std::vector<std::string>{
            "all=8: batch:all; param \"**\" { d_model:all }", "all=8: heads:all",
            "outer=2, middle=2, inner=2: batch:outer+middle; heads:inner; param \"**\" { "
            "d_model:outer+middle }"});
  const Choice one{{{{"all", 8}}}, {{"heads", {"all"}}}};
  CHECK(texts(space, one) == std::vector<std::string>{"outer=2, inner=4: heads:outer+inner",
                                                      "outer=4, inner=2: heads:outer+inner"});
}

TEST_CASE("pipelines keep their stages") {
  plan::Space space;
  space.staged = plan::staged_meshes_of(16, 2, 4);
  Choice choice{{{{"all", 8}}}, {{"heads", {"all"}}}};
  choice.pipeline = plan::Pipeline{{{"layers.*"}, 4}, 2};
  for (const Choice& other : plan::with_other_axes(space, choice)) {
    CHECK(other.pipeline->stages == 2);
    CHECK(other.mesh.processors() == 8);
    CHECK(other.mesh.axes.size() == 2);
  }
  CHECK(plan::with_other_axes(space, choice).size() == 2);
}

}  // namespace plan_axes_test
