// Where stages of a pipeline lie on a machine.
#include "predict/map_stages.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "unit/predict/lab.h"

namespace predict_map_stages_test {

using namespace predict_lab;

namespace {

const std::string cluster =
    "link node switch size=8 bw=8B/s lat=1s\nlink net ring size=4 bw=1B/s lat=5s shared=8";

std::vector<Mesh> meshes(const std::vector<std::string>& texts) {
  std::vector<Mesh> all;
  for (const std::string& text : texts) all.push_back(mesh_of(text));
  return all;
}

std::string begins(const std::vector<std::string>& texts) {
  const Machine machine = with_links(cluster);
  const auto mapped = map_stages(meshes(texts), machine);
  if (!mapped) return "too small";
  std::string text;
  for (const MappedStage& stage_at : mapped->stages)
    text += (text.empty() ? "" : "; ") + begin_text(stage_at, machine);
  return text;
}

const std::string& level_between(const MappedStages& mapped, const Machine& machine, int from,
                                 int to) {
  const std::vector<GroupLevel> levels = between(from, to, machine, mapped);
  REQUIRE(levels.size() == 1);
  return levels.front().level->name;
}

}  // namespace

TEST_CASE("the largest stages come first, each where there is room side by side") {
  CHECK(begins({"a=2", "a=4", "a=2"}) == "net 0, node 4; net 0, node 0; net 0, node 6");
  CHECK(begins({"a=4", "a=8", "a=4"}) == "net 1, node 0; net 0, node 0; net 1, node 4");
  CHECK(begins({"a=2", "a=16, b=1", "a=4, b=2"}) == "net 3, node 0; net 0, node 0; net 2, node 0");
  // Six of eight: the two that are left take a stage of two, not one of three.
  CHECK(begins({"a=6", "a=3", "a=2"}) == "net 0, node 0; net 1, node 0; net 0, node 6");
  CHECK(begins({"a=8", "a=16", "a=8"}) == "net 2, node 0; net 0, node 0; net 3, node 0");
  CHECK(begins({"a=8", "a=16", "a=9"}) == "too small");
  CHECK(begins({"a=2147483647", "a=1"}) == "too small");
  CHECK(begins({"a=5", "a=5", "a=5", "a=5", "a=4"}) == "too small");
}

TEST_CASE("stages of one mesh are the outermost axis") {
  const Machine machine = with_links(cluster);
  const std::vector<Mesh> alike = meshes({"a=4", "a=4", "a=4", "a=4"});
  const auto mapped = map_stages(alike, machine);
  REQUIRE(mapped);
  const Mesh all = mesh_of_stages(alike.front(), 4);
  CHECK(to_string(all) == "stages=4, a=4");
  CHECK(to_string(alike, machine, *mapped) ==
        to_string(all, machine, map_mesh(all, machine).value()));
  CHECK(begins({"a=4", "a=4", "a=4", "a=4"}) ==
        "net 0, node 0; net 0, node 4; net 1, node 0; net 1, node 4");
  CHECK(level_between(*mapped, machine, 0, 1) == "node");
  CHECK(level_between(*mapped, machine, 1, 2) == "net");
  CHECK(level_between(*mapped, machine, 3, 2) == "node");
  CHECK(between(2, 2, machine, *mapped).empty());
}

TEST_CASE("a message goes over the innermost level that both stages lie on") {
  const Machine machine = with_links(cluster);
  const std::vector<Mesh> own = meshes({"a=2", "a=8", "a=4", "a=2"});
  const auto mapped = map_stages(own, machine);
  REQUIRE(mapped);
  CHECK(level_between(*mapped, machine, 0, 2) == "node");
  CHECK(level_between(*mapped, machine, 2, 3) == "node");
  CHECK(level_between(*mapped, machine, 0, 1) == "net");
  // Two nodes are in use; eight processors of each share its link.
  const GroupLevel net = between(0, 1, machine, *mapped).front();
  CHECK(net.units == 2);
  CHECK(net.span == 2);
  CHECK(net.sharers == 8);
  CHECK(to_string(own, machine, *mapped) ==
        "stage 0: node (switch, 2 of 8): a=2; stage 1: node (switch, 8): a=8; stage 2: node "
        "(switch, 4 of 8): a=4; stage 3: node (switch, 2 of 8): a=2");
}

TEST_CASE("with links by axis stages are the outermost level") {
  const std::vector<Mesh> own = meshes({"rows=2, cols=4", "rows=4, cols=1"});
  const Machine machine =
      with_links("link stages ring bw=1B/s\nlink rows ring bw=2B/s\nlink cols switch bw=4B/s",
                 mesh_of("stages=2, rows=4, cols=4"));
  const auto mapped = map_stages(own, machine);
  REQUIRE(mapped);
  CHECK(level_between(*mapped, machine, 0, 1) == "stages");
  CHECK(mapped->stages[0].units == std::vector<std::int64_t>{4, 2, 1});
}

TEST_CASE("powers of two within a node and whole nodes fill a machine") {
  const Machine machine = with_links(cluster);
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    std::vector<Mesh> own;
    for (std::int64_t left = 32; left > 0;) {
      std::vector<std::int64_t> sizes;
      for (const std::int64_t size : {1, 2, 4, 8, 16, 24})
        if (size <= left) sizes.push_back(size);
      own.push_back(mesh_of("a=" + std::to_string(sizes[random() % sizes.size()])));
      left -= own.back().processors();
    }
    if (own.size() < 2) continue;
    const auto mapped = map_stages(own, machine);
    REQUIRE(mapped);
    std::map<std::int64_t, std::int64_t> owners;  // by processor
    for (std::size_t stage = 0; stage < own.size(); ++stage) {
      const MappedStage& stage_at = mapped->stages[stage];
      for (std::int64_t one = 0; one < own[stage].processors(); ++one)
        ++owners[stage_at.at[1] * 8 + (own[stage].processors() < 8 ? stage_at.at[0] : 0) + one];
    }
    // Stages of one mesh are numbered in units of their own.
    bool alike = true;
    for (const Mesh& one : own) alike = alike && one == own.front();
    if (alike) continue;
    CHECK(owners.size() == 32);
    for (const auto& [processor, count] : owners) CHECK(count == 1);
  }
}

}  // namespace predict_map_stages_test
