// What ranks, which are threads here, say of facts that are not the same on all of them.
#include "comm/agreement.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <set>

#include "comm/threads.h"

namespace comm_agreement_test {

using namespace mtfc;
using namespace mtfc::runtime::net;

namespace {

using Accounts = std::vector<std::pair<Facts, Summary>>;  // by rank

/// What the ranks say, without the host; all of them say the same.
std::string said(const Accounts& accounts) {
  std::mutex guard;
  std::set<std::string> all;
  run_on_threads(static_cast<int>(accounts.size()), [&](Network& network) {
    const auto& [facts, summary] = accounts[static_cast<std::size_t>(network.rank())];
    const std::string text = difference(network, facts, summary);
    const std::lock_guard lock(guard);
    all.insert(text);
    return 0;
  });
  REQUIRE(all.size() == 1);
  const std::string text = *all.begin();
  const std::size_t on = text.find(" on `"), end = text.find("`: ");
  return on == text.npos || end == text.npos ? text : text.substr(0, on) + text.substr(end + 1);
}

}  // namespace

TEST_CASE("ranks name the first fact that differs, and the first rank with it") {
  const Facts usual = {{"steps", "3"}, {"seed", "1"}};
  CHECK(said({{usual, {}}}).empty());
  CHECK(said({{usual, {}}, {usual, {}}, {usual, {}}}).empty());
  CHECK(said({{usual, {}}, {{{"steps", "3"}, {"seed", "2"}}, {}}, {{{"steps", "4"}}, {}}}) ==
        "rank 1: seed is 2, not 1 as on rank 0");
  CHECK(said({{usual, {}}, {usual, {}}, {{{"steps", "3"}}, {}}}) ==
        "rank 2: seed is missing, which on rank 0 is 1");
  CHECK(said({{{{"steps", "3"}}, {}}, {usual, {}}}) == "rank 1: seed is 1, rank 0 has none");
}

TEST_CASE("causes are named if nothing but the summary differs, and may differ alone") {
  const Facts none;
  const auto program = [](const std::string& value, const std::string& model) {
    return Summary{{"program", value}, {{"m.mtf", model}}};
  };
  CHECK(said({{none, program("a", "x")}, {none, program("a", "y")}}).empty());
  CHECK(said({{none, program("a", "x")}, {none, program("b", "y")}}) ==
        "rank 1: m.mtf is y, not x as on rank 0");
  CHECK(said({{none, program("a", "x")}, {none, program("b", "x")}}) ==
        "rank 1: program is b, not a as on rank 0");
  CHECK(said({{{{"steps", "3"}}, program("a", "x")}, {{{"steps", "4"}}, program("b", "y")}}) ==
        "rank 1: steps is 4, not 3 as on rank 0");
}

}  // namespace comm_agreement_test
