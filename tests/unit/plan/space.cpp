// The space of a plan, against all combinations tried one by one.
#include "plan/space/space.h"

#include <catch2/catch.hpp>

#include "frontend/elaborate/elaborate.h"
#include "layout/assignment.h"
#include "layout/axis_conflicts.h"

namespace plan_space_test {

using namespace mtfc;
using plan::Split;

namespace {

const char* const kModel = R"(
dim batch = 8, io = 12, hidden = 16, one = 1
input x[batch, io] from gaussian(seed=1)
param w[io, hidden] ~ normal(0.1)
param g[one, hidden] = 1
h = einsum(x, w over io)
loss mean((h * g)^2 over batch, hidden, one)
train { optimizer = sgd(lr=0.1)  steps = 1 }
)";

std::vector<std::string> texts_of(const std::vector<Mesh>& meshes) {
  std::vector<std::string> texts;
  for (const Mesh& mesh : meshes) texts.push_back(to_string(mesh));
  return texts;
}

bool is_legal(const plan::Choice& choice, const Model& model) {
  Diagnostics silent;
  const auto assignment = lowering::resolve(plan::layout_of(choice), std::nullopt, model, silent);
  return assignment && lowering::is_legal(model, *assignment);
}

/// Every combination of subsets of the axes.
std::vector<std::vector<Split>> combinations(const plan::Space& space, const Mesh& mesh) {
  std::vector<std::vector<Split>> all = {{}};
  for (const std::string& dim : space.dims) {
    const std::vector<std::vector<Split>> before = all;
    for (std::size_t set = 1; set < std::size_t{1} << mesh.axes.size(); ++set)
      for (std::vector<Split> rules : before) {
        Split& split = rules.emplace_back(Split{dim, {}});
        for (std::size_t i = 0; i < mesh.axes.size(); ++i)
          if ((set >> i & 1) != 0) split.axes.push_back(mesh.axes[i].name);
        all.push_back(std::move(rules));
      }
  }
  return all;
}

}  // namespace

TEST_CASE("meshes are the ordered factorisations of the processors") {
  CHECK(texts_of(plan::meshes_of(1, 2)) == std::vector<std::string>{""});
  CHECK(texts_of(plan::meshes_of(8, 2)) ==
        std::vector<std::string>{"all=8", "outer=4, inner=2", "outer=2, inner=4"});
  CHECK(plan::meshes_of(12, 3).size() == 8);
  CHECK(plan::meshes_of(12, 1).size() == 1);
  CHECK(plan::meshes_of(7, 3).size() == 1);
}

TEST_CASE("the rules of a space are all that are legal and divide") {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto model = elaborate(sources, sources.add("m.mtf", kModel), {}, diagnostics);
  REQUIRE(model);
  for (const Mesh& mesh : {Mesh{{{"rows", 2}, {"cols", 4}}}, Mesh{{{"rows", 3}, {"cols", 2}}},
                           Mesh{{{"all", 16}}}, Mesh{}}) {
    const plan::Space space = plan::space_of(*model, {mesh});
    CHECK(space.dims == std::vector<std::string>{"batch", "io", "hidden"});
    CHECK(space.kept_dims == std::vector<std::string>{"io", "hidden"});
    const auto found = plan::legal_rules(space, mesh, model->dims, 100000).value();
    std::size_t expected = 0;
    for (const std::vector<Split>& rules : combinations(space, mesh)) {
      plan::Choice choice{mesh, rules, {}};
      bool legal = is_legal(choice, *model);
      for (const Split& split : rules) {
        std::int64_t parts = 1;
        for (const std::string& axis : split.axes) parts *= mesh.size(*mesh.find(axis));
        for (const Dim& dim : model->dims.all())
          legal = legal && (dim.name != split.dim || dim.size % parts == 0);
      }
      INFO(to_string(mesh) << ": " << plan::rules_text(choice));
      CHECK((std::find(found.begin(), found.end(), rules) != found.end()) == legal);
      expected += legal;
    }
    CHECK(found.size() == expected);
  }
}

TEST_CASE("with padding axes split what stays below twice its size") {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto model = elaborate(sources, sources.add("m.mtf", kModel), {}, diagnostics);
  REQUIRE(model);
  const auto ways = [&](const Mesh& mesh, bool pads) {
    const plan::Space space = plan::space_of(*model, {mesh}, {}, pads);
    std::string text;
    for (const std::string& dim : space.dims)
      for (const plan::Split& split : plan::splits_of(space, dim, mesh, model->dims))
        text += plan::rules_text({mesh, {split}}) + " ";
    return text;
  };
  CHECK(ways({{{"all", 5}}}, false).empty());
  CHECK(ways({{{"all", 5}}}, true) == "batch:all io:all hidden:all ");
  // 8 elements become 16, 12 become 16.
  CHECK(ways({{{"all", 16}}}, false) == "hidden:all ");
  CHECK(ways({{{"all", 16}}}, true) == "io:all hidden:all ");
}

TEST_CASE("an axis of rules that are kept goes to nothing that meets them") {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto model = elaborate(sources, sources.add("m.mtf", kModel), {}, diagnostics);
  REQUIRE(model);
  const Mesh mesh{{{"rows", 2}, {"cols", 2}}};
  const plan::Space space =
      plan::space_of(*model, {mesh}, plan::layout_of({mesh, {{"hidden", {"cols"}}}}));
  CHECK(space.dims == std::vector<std::string>{"batch", "io"});
  CHECK(plan::goes_with(space, {"batch", {"rows"}}, {}));
  CHECK_FALSE(plan::goes_with(space, {"batch", {"cols"}}, {}));
  CHECK_FALSE(plan::goes_with(space, {"io", {"rows", "cols"}}, {}));
}

TEST_CASE("what an axis does not divide is left whole") {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto model = elaborate(sources, sources.add("m.mtf", kModel), {}, diagnostics);
  REQUIRE(model);
  const auto undivided = [&](const Mesh& mesh) {
    return plan::undivided_dims(plan::space_of(*model, {mesh}), model->dims);
  };
  CHECK(undivided({{{"all", 4}}}).empty());
  CHECK(undivided({{{"all", 3}}}) == std::vector<std::string>{"batch", "hidden"});
  CHECK(undivided({{{"rows", 4}, {"cols", 4}}}) == std::vector<std::string>{"batch", "io"});
}

}  // namespace plan_space_test
