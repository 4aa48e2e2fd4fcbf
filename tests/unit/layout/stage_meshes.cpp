// Meshes of stages: what all of them divide, and what a stage has of an assignment.
#include "ir/stage_meshes.h"

#include <catch2/catch.hpp>

namespace stage_meshes_test {

using namespace mtfc;

namespace {

constexpr AxisId a{0}, b{1};

Mesh mesh(std::int64_t first, std::int64_t second) { return {{{"a", first}, {"b", second}}}; }

Assignment of(std::vector<Mesh> meshes) {
  Assignment made;
  made.mesh = widest(meshes);
  made.stages.emplace().count = static_cast<int>(meshes.size());
  made.stage_meshes = std::move(meshes);
  return made;
}

}  // namespace

TEST_CASE("numbers of shards that differ have their least common multiple in common") {
  const Assignment made = of({mesh(2, 3), mesh(3, 2), mesh(4, 1)});
  CHECK(made.mesh == mesh(4, 3));
  CHECK(shards_over(made, {a}) == 12);
  CHECK(shards_over(made, {b}) == 6);
  // Not that of each axis, multiplied: six shards, six, and four.
  CHECK(shards_over(made, {a, b}) == 12);
  CHECK(shards_over(made, {}) == 1);
  CHECK(processors_of(made) == 6 + 6 + 4);
}

TEST_CASE("absurd sizes do not overflow") {
  std::vector<Mesh> meshes;
  for (const std::int64_t prime : {2147483629, 2147483587, 2147483579, 2147483563})
    meshes.push_back(mesh(prime, 1));
  CHECK(shards_over(of(meshes), {a}) == largest_size + 1);
}

TEST_CASE("a stage has what its mesh splits") {
  Assignment made = of({mesh(2, 1), mesh(1, 4)});
  made.dims = {{{a, b}, 0, {}}, {{b}, 1, {}}};
  made.scopes.push_back({LayoutScope::Kind::value, "x", {{DimId{1}, {a}, {}}}});
  Sharding kept;
  kept.split = {{b}, {a}};
  made.kept["w"] = {kept, {}};

  const Assignment first = of_stage(made, 0), second = of_stage(made, 1);
  CHECK(first.mesh == mesh(2, 1));
  CHECK(first.dims[0].axes == std::vector{a});
  CHECK(first.dims[1].axes.empty());
  CHECK(first.scopes[0].splits[0].axes == std::vector{a});
  CHECK(first.kept.at("w").sharding.split == std::vector<std::vector<AxisId>>{{}, {a}});
  CHECK(second.mesh == mesh(1, 4));
  CHECK(second.dims[0].axes == std::vector{b});
  CHECK(second.dims[1].axes == std::vector{b});
  CHECK(second.scopes[0].splits[0].axes.empty());
  CHECK(second.kept.at("w").sharding.split == std::vector<std::vector<AxisId>>{{b}, {}});
}

TEST_CASE("stages of one mesh have it each") {
  Assignment made;
  made.mesh = mesh(2, 3);
  CHECK(meshes_of(made) == std::vector{made.mesh});
  made.stages.emplace().count = 2;
  CHECK(meshes_of(made) == std::vector{made.mesh, made.mesh});
  CHECK(processors_of(made) == 12);
  CHECK(shards_over(made, {a, b}) == 6);
  CHECK(of_stage(made, 1).mesh == made.mesh);
}

TEST_CASE("sizes are said stage by stage, or once") {
  CHECK(to_string({mesh(2, 4), mesh(4, 4)}) == "a=2+4, b=4");
  CHECK(to_string({mesh(2, 4)}) == "a=2, b=4");
}

}  // namespace stage_meshes_test
