// A shared instance that is used twice updates its states twice.
#include <catch2/catch.hpp>

#include "unit/lowering/lab.h"

namespace lowering_graph_shared_states_test {

using namespace lowering_lab;

namespace {

/// A counter, and an average that the second use starts from the first one's.
const std::string text =
    "dim b = 4, d = 2\n"
    "input x[b, d] from gaussian(seed=1)\n"
    "block f(x, by) {\n"
    "  state seen = 0\n"
    "  update seen = seen + by\n"
    "  state mean_of[d] = 0\n"
    "  update mean_of = 0.5 * mean_of + mean(x over b)\n"
    "  return x * 2\n"
    "}\n"
    "instance shared = f@shared\n"
    "param w[d] = 1\n"
    "loss mean(shared(x * w + 1, 1) + shared(x * w + 3, 10))\n"
    "train { optimizer = sgd(0.0) steps = 3 }\n";

double first(const Numbers& numbers, const std::string& path) {
  return numbers.at("after " + path).as<float>()[0];
}

}  // namespace

TEST_CASE("a second use of a shared instance starts from what the first left in its states") {
  const Model model = model_of(text);
  const Numbers one = train(model, place(model, {}, {}));
  CHECK(first(one, "shared.seen") == 33);
  // Without x, whose mean is about 0: m -> (m / 2 + 1) / 2 + 3, three times from 0.
  const double without_x = first(one, "shared.mean_of");
  CHECK(without_x == Approx(3.5 * (1 + 0.25 + 0.0625)).margin(3));
  for (const auto& [mesh, rules] :
       {std::pair{Mesh{{{"r", 2}}}, Rules{{"b", "r"}}}, {Mesh{{{"r", 2}}}, Rules{{"d", "r"}}}}) {
    CHECK(difference(one, train(model, place(model, mesh, rules))) < 1e-6);
    CHECK(difference(train(model, place(model, {}, {}), false),
                     train(model, place(model, mesh, rules), false)) < 1e-6);
  }
}

}  // namespace lowering_graph_shared_states_test
