// Includes point down: rooms as the build links them, no circles between folders or files.
#include <catch2/catch.hpp>
#include <sstream>

#include "include_graph.h"
#include "sources.h"

namespace structure_includes_test {

using namespace mtfc::test;

namespace {

/// Circles between a header with its source and others that stay, with the reason.
const std::map<std::string, std::string> known_circles = {
    {"bind/bind bind/bind_rules", "the rules make what bind gives"},
    {"kernels/contract kernels/contract_pieces kernels/contract_plan kernels/dots kernels/gemm kernels/product_slabs",
     "a kernel's plan is made of its spec"},
    {"kernels/gather kernels/indexed_rows", "walks what the spec of gather describes"},
    {"kernels/map kernels/map_pairs kernels/map_plan", "a kernel's plan is made of its spec"},
    {"kernels/window kernels/window_rows", "walks what the spec of window describes"},
};

/// Folders in which functions that call each other are spread over files: one walk over a tree.
const std::set<std::string> recursions = {"frontend/elaborate"};

/// Whether all members of a circle lie in one of them.
bool is_recursion(const std::string& circle) {
  std::istringstream members(circle);
  for (std::string member; members >> member;)
    if (recursions.count(folder_of(member)) == 0) return false;
  return true;
}

}  // namespace

TEST_CASE("rooms link each other without circles", "[structure]") {
  const Edges rooms = linked_rooms();
  REQUIRE(rooms.size() > 10);
  CHECK(circles(rooms) == std::set<std::string>{});
}

TEST_CASE("includes point down", "[structure]") {
  const Edges below = closure(linked_rooms());
  const Edges files = include_graph();
  REQUIRE(files.size() > 50);
  for (const auto& [path, all] : files) {
    INFO(path);
    const std::string room = room_of(path);
    REQUIRE(below.count(room) == 1);
    for (const std::string& included : all) {
      INFO("#include \"" << included << "\"");
      CHECK((room_of(included) == room || below.at(room).count(room_of(included)) == 1));
    }
  }
}

TEST_CASE("folders do not include each other in circles", "[structure]") {
  const std::set<std::string> known = {
      // Instructions are made of types and dimensions, programs of instructions.
      "ir ir/instr"};
  CHECK(circles(between(include_graph(), folder_of)) == known);
}

TEST_CASE("headers with their sources do not include each other in circles", "[structure]") {
  std::set<std::string> known, found;
  for (const auto& [circle, reason] : known_circles) known.insert(circle);
  for (const std::string& circle : circles(between(include_graph(), unit_of)))
    if (!is_recursion(circle)) found.insert(circle);
  CHECK(found == known);
}

TEST_CASE("headers are included once", "[structure]") {
  for (const SourceText& file : files_below("src", {".h"})) {
    INFO(file.path);
    CHECK(file.text.find("#pragma once") != file.text.npos);
  }
}

}  // namespace structure_includes_test
