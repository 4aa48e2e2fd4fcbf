// Problems from files: what is wrong with them is said, and absurd ones are refused.
#include "solve/read_problem.h"

#include <catch2/catch.hpp>

namespace solve_read_problem_test {

using namespace mtfc::solve;
using Catch::Contains;

/// A small problem with one part replaced.
std::string file(const std::string& part = "", const std::string& other = "") {
  std::string text =
      R"({"problem": {"name": "p", "nodes": {"intervals": [[0, 4], [2, 6]], "costs": [[1, 2], [3]],)"
      R"( "usages": [[5, 6], [7]]}, "edges": {"nodes": [[0, 1]], "costs": [[8, 9]]},)"
      R"( "usage_limit": 20}})";
  if (part.empty()) return text;
  const std::size_t at = text.find(part);
  REQUIRE(at != text.npos);
  return text.replace(at, part.size(), other);
}

std::string wrong(const std::string& text) {
  const auto problem = read_problem(text);
  return problem ? "nothing" : problem.error().message;
}

TEST_CASE("a problem is read as it stands", "[solve]") {
  const auto problem = read_problem(file());
  REQUIRE(problem);
  CHECK(problem->name == "p");
  CHECK(problem->limit == 20);
  REQUIRE(problem->nodes.size() == 2);
  CHECK(problem->nodes[1].from == 2);
  CHECK(problem->nodes[1].to == 6);
  CHECK(problem->nodes[0].costs == std::vector<Cost>{1, 2});
  CHECK(problem->nodes[0].usages == std::vector<Usage>{5, 6});
  REQUIRE(problem->edges.size() == 1);
  CHECK(problem->edges[0].b == 1);
  CHECK(problem->edges[0].costs == std::vector<Cost>{8, 9});
}

TEST_CASE("a problem may have no limit, no name, and costs like 1e18", "[solve]") {
  const auto problem = read_problem(file(R"(, "usage_limit": 20)", ""));
  REQUIRE(problem);
  CHECK(!problem->limit);
  CHECK(read_problem(file(R"("name": "p", )", "")));
  const auto never = read_problem(file("[8, 9]", "[8, 1e18]"));
  REQUIRE(never);
  CHECK(never->edges[0].costs[1] == infinite);
}

TEST_CASE("what is wrong with a problem is said", "[solve]") {
  const std::string usages = R"("usages": [[5, 6], [7]])";
  CHECK_THAT(wrong(""), Contains("not JSON"));
  CHECK_THAT(wrong("[]"), Contains("a list where none belongs"));
  CHECK_THAT(wrong("{}"), Contains("no nodes"));
  CHECK_THAT(wrong("17"), Contains("a number where none belongs"));
  CHECK_THAT(wrong(file().substr(0, 60)), Contains("not JSON at byte"));
  CHECK_THAT(wrong(file(", " + usages, "")), Contains("2 lists of costs and 0 of usages"));
  CHECK_THAT(wrong(file("[5, 6]", "[5]")), Contains("node 0 has 2 costs and 1 usage"));
  CHECK_THAT(wrong(file("[5, 6]", "[5, -6]")), Contains("node 0 has a negative usage"));
  CHECK_THAT(wrong(file("[1, 2]", "[]")), Contains("node 0 has no strategy"));
  CHECK_THAT(wrong(file("[1, 2]", "[1, 2.5]")), Contains("2.5, which is not a whole number"));
  CHECK_THAT(wrong(file("[1, 2]", "[1, 1e300]")), Contains("not a whole number"));
  CHECK_THAT(wrong(file("[1, 2]", "[1, 18446744073709551615]")), Contains("beyond 2^62"));
  CHECK_THAT(wrong(file("[1, 2]", "[1, \"2\"]")), Contains("a text where a number belongs"));
  CHECK_THAT(wrong(file("[1, 2]", "[1, null]")), Contains("null"));
  CHECK_THAT(wrong(file("[1, 2]", "[1, [2]]")), Contains("a list where none belongs"));
  CHECK_THAT(wrong(file("[0, 4]", "[0]")), Contains("node 0 has no interval"));
  CHECK_THAT(wrong(file("[0, 4]", "[4, 0]")), Contains("node 0 is alive from 4 to 0"));
  CHECK_THAT(wrong(file("[0, 4]", "[-1, 4]")), Contains("alive from -1"));
  CHECK_THAT(wrong(file("[[0, 1]]", "[[0, 2]]")), Contains("edge 0 names node 2 of 2"));
  CHECK_THAT(wrong(file("[[0, 1]]", "[[0, -1]]")), Contains("edge 0 names node -1"));
  CHECK_THAT(wrong(file("[[0, 1]]", "[[0, 0]]")), Contains("with itself"));
  CHECK_THAT(wrong(file("[[0, 1]]", "[[0, 1, 1]]")), Contains("does not join two nodes"));
  CHECK_THAT(wrong(file("[[0, 1]]", "[]")), Contains("0 edges and costs of 1"));
  CHECK_THAT(wrong(file("[8, 9]", "[8]")), Contains("1 costs, and 2 x 1 pairs"));
  CHECK_THAT(wrong(file("20", "-1")), Contains("is negative"));
  CHECK_THAT(wrong(file("\"name\"", "\"title\"")), Contains("`problem.title` is not a key"));
  CHECK_THAT(wrong(file("\"p\"", "{}")), Contains("an object as its value"));
  CHECK_THAT(wrong(file(usages, usages + ", " + usages)), Contains("is there twice"));
}

TEST_CASE("sums beyond what is exact are refused", "[solve]") {
  CHECK_THAT(wrong(file("[1, 2]", "[1, 4503599627370480]")), Contains("nothing"));
  CHECK_THAT(wrong(file("[1, 2]", "[1, 4503599627370497]")), Contains("costs too large"));
  // Of nodes and edges together.
  CHECK_THAT(wrong(file("[8, 9]", "[8, 4503599627370496]")), Contains("edge 0 makes"));
  std::string many = "[[0, 4]", costs = "[[4000000000000000]", usages = "[[1]";
  for (int i = 0; i < 4; ++i) many += ",[0, 4]", costs += ",[4000000000000000]", usages += ",[1]";
  const auto text = [&](const std::string& c, const std::string& u) {
    return R"({"problem": {"nodes": {"intervals": )" + many + R"(], "costs": )" + c +
           R"(], "usages": )" + u + R"(]}, "edges": {"nodes": [], "costs": []}}})";
  };
  CHECK_THAT(wrong(text(costs, usages)), Contains("the sum of costs too large"));
  CHECK_THAT(wrong(text(usages, costs)), Contains("the sum of usages too large"));
  CHECK_THAT(wrong(file("[5, 6]", "[5, 2000000000000000000]")), Contains("usages too large"));
  // Its absolute value is no number of 64 bits.
  CHECK_THAT(wrong(file("[1, 2]", "[1, -9223372036854775808]")), Contains("costs too large"));
  CHECK_THAT(wrong(file("[8, 9]", "[8, -9223372036854775808]")), Contains("costs too large"));
}

}  // namespace solve_read_problem_test
