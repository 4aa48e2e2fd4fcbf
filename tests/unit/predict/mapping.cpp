// Mesh axes on the levels of a machine.
#include <catch2/catch.hpp>

#include "unit/predict/lab.h"

namespace predict_mapping_test {

using namespace predict_lab;

namespace {

std::string mapped(const std::string& links, const std::string& mesh_text) {
  const Mesh mesh = mesh_of(mesh_text);
  const Machine machine = with_links(links, mesh);
  const auto mapping = map_mesh(mesh, machine);
  return mapping ? to_string(mesh, machine, *mapping) : "too small";
}

const std::string cluster = "link node switch size=8 bw=1B/s\nlink net ring size=16 bw=1B/s";

}  // namespace

TEST_CASE("the last axis lies inside") {
  CHECK(mapped(cluster, "data=4, model=8") ==
        "node (switch, 8): model=8; net (ring, 4 of 16): data=4");
  CHECK(mapped(cluster, "data=8, model=4") ==
        "node (switch, 8): model=4 x data=2; net (ring, 4 of 16): data=4");
  CHECK(mapped(cluster, "model=2, data=16") ==
        "node (switch, 8): data=8; net (ring, 4 of 16): data=2 x model=2");
  CHECK(mapped(cluster, "a=2, b=2, c=1, d=2") == "node (switch, 8): d=2 x b=2 x a=2");
  CHECK(mapped(cluster, "a=1") == "one processor");
}

TEST_CASE("what does not divide leaves units idle") {
  CHECK(mapped(cluster, "a=6") == "node (switch, 6 of 8): a=6");
  CHECK(mapped(cluster, "a=12") == "node (switch, 6 of 8): a=6; net (ring, 2 of 16): a=2");
  CHECK(mapped(cluster, "a=2, b=5") == "node (switch, 5 of 8): b=5; net (ring, 2 of 16): a=2");
  CHECK(mapped(cluster, "a=11") == "net (ring, 11 of 16): a=11");
}

TEST_CASE("a machine that is too small") {
  CHECK(mapped(cluster, "a=128") != "too small");
  CHECK(mapped(cluster, "a=256") == "too small");
  CHECK(mapped(cluster, "a=17") == "too small");
  CHECK(mapped(cluster, "a=2147483647") == "too small");
}

TEST_CASE("links by axis take every axis as it is") {
  const std::string links = "link rows ring bw=1B/s\nlink cols switch bw=2B/s";
  CHECK(mapped(links, "rows=3, cols=1000") ==
        "cols (switch, 1000): cols=1000; rows (ring, 3): rows=3");
  CHECK(mapped(links, "rows=3, cols=1") == "rows (ring, 3): rows=3");
}

TEST_CASE("the paper's mesh on a TPU pod: rows of one ring, columns of the other") {
  const Mesh mesh = mesh_of("batch=16, model=32");
  const Machine machine = with_links(
      "link chip switch size=2 bw=9B/s\nlink x ring size=16 bw=1B/s\n"
      "link y ring size=16 bw=1B/s");
  CHECK(to_string(mesh, machine, map_mesh(mesh, machine).value()) ==
        "chip (switch, 2): model=2; x (ring, 16): model=16; y (ring, 16): batch=16");
}

}  // namespace predict_mapping_test
