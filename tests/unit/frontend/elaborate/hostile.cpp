// Inputs made to break the elaborator: they end soon, with a diagnostic or a model.
#include <catch2/catch.hpp>

#include "lab.h"

namespace frontend_elaborate_hostile_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {
std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}
const std::string head = "dim b = 2\ninput x[b] from gaussian(seed=1)\n";
}  // namespace

TEST_CASE("long chains are not nesting") {
  Elaborated sum(head + "y = x" + repeated(" + x", 20'000) + "\nloss mean(y)");
  CHECK(sum.model);
  Elaborated views(head + "y = x" + repeated("[b -> b'][b' -> b]", 120));
  CHECK(views.model);
}

TEST_CASE("blocks that grow without end are stopped") {
  std::string text = head + "block f0(t) { return t + 1 }\n";
  for (int i = 1; i < 60; ++i) {
    const std::string below = "f" + std::to_string(i - 1);
    text += "block f" + std::to_string(i) + "(t) { return " + below + "@a(" + below + "@b(t)) }\n";
  }
  Elaborated e(text + "y = f59(x)");
  CHECK(e.codes() == "E310");
}

TEST_CASE("nested repeats are stopped") {
  Elaborated e(head + "repeat@a 10000 { repeat@b 10000 { repeat@c 10000 { z = 1 } } }");
  CHECK(e.codes() == "E310");
}

TEST_CASE("what is wrong in every iteration is found in the first ones") {
  Elaborated e(head + "repeat@a 10000 { repeat@b 10000 { repeat@c 10000 { z = nothere } } }");
  CHECK(e.codes() == "E301");
}

TEST_CASE("after a hundred errors no more are looked for, and it is said once") {
  std::string text = head;
  for (int i = 0; i < 150; ++i) {
    const std::string n = std::to_string(i);
    text += "repeat@r" + n + " 2 { y" + n + " = x + nothere" + n + " }\n";  // found once, not twice
  }
  Elaborated e(text);
  const auto& all = e.diagnostics.all();
  REQUIRE(all.size() == 100);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].message == "unknown name `nothere" + std::to_string(i) + "`");
    CHECK(all[i].notes.size() == (i == 99 ? 1 : 0));
  }
  CHECK(all.back().notes[0] == "after 100 errors no more are looked for");
}

TEST_CASE("deep chains of blocks are stopped before the stack is") {
  std::string text = head + "block f0(t) { return t + 1 }\n";
  for (int i = 1; i < 4000; ++i)
    text += "block f" + std::to_string(i) + "(t) { return f" + std::to_string(i - 1) + "(t) }\n";
  Elaborated e(text + "y = f3999(x)");
  CHECK(e.codes() == "E310");
  CHECK_THAT(e.said(), Catch::Contains("as `repeat`"));
}

TEST_CASE("long circles of dimensions") {
  std::string text = "dim d0 = d9999\n";
  for (int i = 1; i < 10'000; ++i)
    text += "dim d" + std::to_string(i) + " = d" + std::to_string(i - 1) + "\n";
  Elaborated e(text);
  CHECK(!e.model);
}

TEST_CASE("numbers at the edges") {
  for (const char* formula :
       {"0", "-1", "1e300", "2^63", "9223372036854775807 + 1", "0/0", "1//0", "5 % 0",
        "(-9223372036854775807 - 1) // (-1)", "1e308 * 10", "0 - 2^63"}) {
    INFO(formula);
    CHECK(!Elaborated("dim d = " + std::string(formula)).model);
  }
  CHECK(Elaborated("dim d = 2147483647\n").model);
}

TEST_CASE("files that use themselves, or are no files") {
  CHECK(!Elaborated("use \"/dev/zero\"", {}, "m.mtf").model);
  CHECK(!Elaborated("use \"\"", {}, "m.mtf").model);
  CHECK(!Elaborated("use \"..\"", {}, "m.mtf").model);
}

TEST_CASE("statements of a file may be of no consequence") {
  CHECK(Elaborated("").model);
  CHECK(Elaborated("dim d = 2\n").model);
  CHECK(!Elaborated("dims = dims(x)\n").model);
}

}  // namespace frontend_elaborate_hostile_test
