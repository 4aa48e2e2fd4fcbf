// Which ranks hold a block, and how they are written.
#include <catch2/catch.hpp>

#include "draw/holders.h"
#include "unit/draw/lab.h"

namespace draw_holders_test {

using namespace draw_lab;
using draw::holders;
using draw::holders_text;
using draw::ranks_text;
using Ranks = std::vector<std::int64_t>;

TEST_CASE("every rank holds exactly one block of each tensor") {
  const Mesh mesh = mesh_of({2, 3, 2});
  const Sharded tensor = sharded({{8, {1}}, {6, {0, 2}}});
  Ranks seen(12, 0);
  for (std::int64_t a = 0; a < 3; ++a)
    for (std::int64_t b = 0; b < 4; ++b) {
      const Ranks ranks = holders(mesh, tensor.type, {a, b}).ranks;
      REQUIRE(ranks.size() == 1);
      ++seen[static_cast<std::size_t>(ranks[0])];
      // Ranks are numbered row by row; b lies over p, major, and r.
      CHECK(ranks[0] == (b / 2) * 6 + a * 2 + b % 2);
    }
  CHECK(seen == Ranks(12, 1));
  CHECK(holders(mesh, tensor.type, {1, -1}).ranks == Ranks{2, 3, 8, 9});
}

TEST_CASE("what is not split is on all ranks") {
  const Mesh mesh = mesh_of({2, 2});
  CHECK(holders(mesh, sharded({Cut{5}}).type, {0}).ranks == Ranks{0, 1, 2, 3});
  CHECK(holders(mesh, sharded({}).type, {}).ranks == Ranks{0, 1, 2, 3});
}

TEST_CASE("ranks are written short") {
  const auto text = [](const Ranks& ranks, std::size_t width) {
    return ranks_text({static_cast<std::int64_t>(ranks.size()), ranks}, width);
  };
  CHECK(text({7}, 20) == "7");
  CHECK(text({0, 1}, 20) == "0,1");
  CHECK(text({0, 1, 2, 3}, 20) == "0-3");
  CHECK(text({0, 2, 4}, 20) == "0,2,4");
  CHECK(text({0, 1, 4, 5}, 20) == "0,1,4,5");
  Ranks every_eighth;
  for (std::int64_t i = 0; i < 512; i += 8) every_eighth.push_back(i);
  CHECK(text(every_eighth, 20) == "0,8,..,504");
  CHECK(text(every_eighth, 9) == "64 ranks");
  every_eighth.push_back(505);
  CHECK(text(every_eighth, 20) == "65 ranks");
}

TEST_CASE("meshes that nobody could list") {
  const Mesh mesh = mesh_of({1 << 15, 1 << 15});
  const Sharded tensor = sharded({{1 << 20, {0}}});
  CHECK(holders(mesh, tensor.type, {1}).count == 1 << 15);
  CHECK(holders(mesh, tensor.type, {1}).ranks.front() == 1 << 15);
  CHECK(holders_text(mesh, tensor.type, {1}, 20) == "32768 ranks");
  CHECK(holders_text(mesh, sharded({{1 << 20, {0}}}, {1}).type, {1}, 20) == "32768 parts");
}

TEST_CASE("a partial value is a sum of what ranks hold") {
  const Mesh mesh = mesh_of({2, 2});
  CHECK(holders_text(mesh, sharded({{4, {0}}}, {1}).type, {0}, 20) == "0 + 1");
  CHECK(holders_text(mesh, sharded({{4, {0}}}, {1}).type, {1}, 20) == "2 + 3");
  CHECK(holders_text(mesh, sharded({Cut{4}}, {1}).type, {0}, 20) == "(0,2) + (1,3)");
  Sharded maximum = sharded({Cut{4}}, {0, 1});
  maximum.type.sharding.combine = Combine::max;
  CHECK(holders_text(mesh, maximum.type, {0}, 20) == "0 , 1 , 2 , 3");
  CHECK(holders_text(mesh_of({64}), sharded({Cut{4}}, {0}).type, {0}, 20) == "64 parts");
}

}  // namespace draw_holders_test
