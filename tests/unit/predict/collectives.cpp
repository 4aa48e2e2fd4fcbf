// Closed forms: each collective on each topology, over several levels, and between other groups.
#include <catch2/catch.hpp>

#include "unit/predict/lab.h"

namespace predict_collectives_test {

using namespace predict_lab;
using Kind = runtime::ExchangeSpec::Kind;

namespace {

/// Along these axes of a mesh, with S = 1000 bytes.
double seconds(Kind kind, const std::string& links, const std::string& mesh_text,
               const std::vector<int>& axes) {
  const Mesh mesh = mesh_of(mesh_text);
  const Machine machine = with_links(links, mesh);
  const auto mapping = map_mesh(mesh, machine);
  REQUIRE(mapping);
  std::vector<AxisId> ids;
  for (int axis : axes) ids.push_back(AxisId{axis});
  return collective_seconds(kind, 1000, group_levels(ids, machine, *mapping));
}
double alone(Kind kind, const std::string& links, int size) {
  return seconds(kind, links, "a=" + std::to_string(size), {0});
}

}  // namespace

TEST_CASE("a switch: recursive halving and doubling, messages in pairs") {
  const std::string link = "link a switch bw=10B/s lat=1s";
  CHECK(alone(Kind::reduce_scatter, link, 8) == Approx(3 + 7.0 / 8 * 100));
  CHECK(alone(Kind::all_gather, link, 8) == Approx(3 + 7.0 / 8 * 100));
  CHECK(alone(Kind::all_reduce, link, 8) == Approx(2 * (3 + 7.0 / 8 * 100)));
  CHECK(alone(Kind::all_to_all, link, 8) == Approx(7 + 7.0 / 8 * 100));
  CHECK(alone(Kind::permute, link, 8) == Approx(1 + 100));
  CHECK(alone(Kind::all_reduce, link, 1) == 0);
  // Half of the bandwidth.
  CHECK(alone(Kind::permute, link + " eff=50%", 8) == Approx(1 + 200));
}

TEST_CASE("a ring that closes is used in both directions") {
  const std::string link = "link a ring bw=10B/s lat=1s";
  CHECK(alone(Kind::reduce_scatter, link, 8) == Approx(7 + 7.0 / 8 * 50));
  CHECK(alone(Kind::all_reduce, link, 8) == Approx(2 * (7 + 7.0 / 8 * 50)));
  // Eight links' worth in each direction cross two of them: n^2 / 4 blocks of S / n, two links
  // twice.
  CHECK(alone(Kind::all_to_all, link, 8) == Approx(7 + 16 * 125.0 / 20));
  CHECK(alone(Kind::permute, link, 8) == Approx(4 + 4 * 1000.0 / 20));
  // Two units have one link between them.
  CHECK(alone(Kind::all_reduce, link, 2) == Approx(2 * (1 + 0.5 * 100)));
  CHECK(alone(Kind::all_to_all, link, 2) == Approx(1 + 0.5 * 100));
}

TEST_CASE("part of a ring is a line") {
  const std::string link = "link r ring size=16 bw=10B/s lat=1s";
  CHECK(alone(Kind::reduce_scatter, link, 8) == Approx(7 + 7.0 / 8 * 100));
  CHECK(alone(Kind::all_to_all, link, 8) == Approx(7 + 16 * 125.0 / 10));
  CHECK(alone(Kind::permute, link, 8) == Approx(4 + 4 * 1000.0 / 10));
}

TEST_CASE("a torus uses the rings of all its dimensions") {
  const std::string link = "link a torus bw=10B/s lat=1s";
  CHECK(alone(Kind::reduce_scatter, link, 16) == Approx(2 * 3 + 15.0 / 16 * 1000 / 40));
  CHECK(alone(Kind::all_reduce, link, 16) == Approx(2 * (6 + 15.0 / 16 * 1000 / 40)));
  // 64 blocks of S / 16 from half to half over 8 links, the closing ones included.
  CHECK(alone(Kind::all_to_all, link, 16) == Approx(15 + 64 * 62.5 / 80));
  CHECK(alone(Kind::permute, link, 16) == Approx(8 + 8 * 1000.0 / 80));
  CHECK(alone(Kind::reduce_scatter, "link a torus dims=3 bw=10B/s", 64) ==
        Approx(63.0 / 64 * 1000 / 60));
  // A side of two closes nothing: 2 x 2 units have the links of a ring of four.
  CHECK(alone(Kind::reduce_scatter, link, 4) == Approx(2 + 0.75 * 1000 / 20));
  // Two units extend along one dimension.
  CHECK(alone(Kind::reduce_scatter, link, 2) == Approx(1 + 0.5 * 100));
}

TEST_CASE("a tree: sums go up and down it") {
  const std::string link = "link a tree bw=10B/s lat=1s";
  CHECK(alone(Kind::all_reduce, link, 8) == Approx(2 * 3 + 200));
  CHECK(alone(Kind::reduce_scatter, link, 8) == Approx(3 + 7.0 / 8 * 100));
  CHECK(alone(Kind::all_to_all, link, 8) == Approx(7 + 16 * 125.0 / 10));
  CHECK(alone(Kind::permute, link, 8) == Approx(4 + 4 * 1000.0 / 10));
}

TEST_CASE("a group over two levels works inside first") {
  const std::string links =
      "link node switch size=4 bw=100B/s lat=1s\nlink cluster switch size=8 bw=10B/s lat=2s";
  const double inside = 2 + 0.75 * 10, outside = 3 * 2 + 7.0 / 8 * 25;  // on S / 4
  CHECK(alone(Kind::reduce_scatter, links, 32) == Approx(inside + outside));
  CHECK(alone(Kind::all_gather, links, 32) == Approx(inside + outside));
  CHECK(alone(Kind::all_reduce, links, 32) == Approx(2 * (inside + outside)));
  CHECK(alone(Kind::all_to_all, links, 32) == Approx(3 + 0.75 * 10 + 14 + 7.0 / 8 * 100));
  CHECK(alone(Kind::permute, links, 32) == Approx(2 + 100));
  // Several axes are one group.
  CHECK(seconds(Kind::all_reduce, links, "a=8, b=4", {0, 1}) == alone(Kind::all_reduce, links, 32));
}

TEST_CASE("groups between each other share the links of rings and trees, not of switches") {
  const std::string mesh = "a=4, b=4";
  const std::string size = " size=16 bw=10B/s";
  CHECK(seconds(Kind::reduce_scatter, "link r ring" + size, mesh, {0}) == Approx(0.75 * 1000 / 5));
  CHECK(seconds(Kind::reduce_scatter, "link r ring" + size, mesh, {1}) == Approx(0.75 * 1000 / 10));
  CHECK(seconds(Kind::reduce_scatter, "link r tree" + size, mesh, {0}) ==
        Approx(0.75 * 1000 / 2.5));
  CHECK(seconds(Kind::reduce_scatter, "link r switch" + size, mesh, {0}) == Approx(0.75 * 100));
  // Both axes are the whole ring.
  CHECK(seconds(Kind::reduce_scatter, "link r ring" + size, mesh, {0, 1}) ==
        Approx(15.0 / 16 * 1000 / 20));
}

TEST_CASE("a link that several processors have together is divided among them") {
  const std::string node = "link node switch size=4 bw=100B/s\n";
  const std::string own = node + "link net switch size=8 bw=10B/s";
  CHECK(seconds(Kind::all_gather, own, "a=8, b=4", {0}) == Approx(7.0 / 8 * 100));
  CHECK(seconds(Kind::all_gather, own + " shared=4", "a=8, b=4", {0}) == Approx(7.0 / 8 * 400));
  CHECK(seconds(Kind::all_gather, own + " shared=2", "a=8, b=4", {0}) == Approx(7.0 / 8 * 200));
  CHECK(seconds(Kind::all_gather, own + " shared=4", "a=8, b=4", {1}) == Approx(0.75 * 10));
  // Those that are not there have no share.
  CHECK(seconds(Kind::all_gather, own + " shared=4", "a=8, b=3", {0}) == Approx(7.0 / 8 * 300));
  // Each chip of two cores has links along both rings of its own.
  const std::string torus =
      "link chip switch size=2 bw=100B/s\nlink x ring size=4 bw=10B/s shared=2\n"
      "link y ring size=4 bw=10B/s shared=2";
  CHECK(seconds(Kind::all_gather, torus, "rows=4, cols=8", {0}) == Approx(0.75 * 1000 / 10));
}

TEST_CASE("no collective is faster with more bytes, and halves of an all-reduce make one") {
  for (const char* topology : {"ring", "torus", "switch"}) {
    const std::string links = std::string("link x ") + topology +
                              " size=64 bw=10B/s lat=1s\nlink y " + topology +
                              " size=64 bw=3B/s lat=2s shared=4";
    for (const char* text : {"a=2, b=3", "a=16, b=16", "a=5, b=7, c=8", "a=64, b=64"}) {
      const Mesh mesh = mesh_of(text);
      const Machine machine = with_links(links);
      const auto mapping = map_mesh(mesh, machine);
      REQUIRE(mapping);
      for (const std::vector<AxisId>& axes :
           {std::vector{AxisId{0}}, std::vector{AxisId{1}}, std::vector{AxisId{0}, AxisId{1}}}) {
        const auto group = group_levels(axes, machine, *mapping);
        const auto time = [&](Kind kind, double bytes) {
          return collective_seconds(kind, bytes, group);
        };
        for (const Kind kind : {Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather,
                                Kind::all_to_all, Kind::permute})
          CHECK(time(kind, 1000) < time(kind, 2000));
        CHECK(time(Kind::reduce_scatter, 1000) + time(Kind::all_gather, 1000) ==
              Approx(time(Kind::all_reduce, 1000)));
      }
    }
  }
}

}  // namespace predict_collectives_test
