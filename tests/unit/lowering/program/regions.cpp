// Regions of `recompute` with several results: what one branch computes again follows the gradients
// of another.
#include <catch2/catch.hpp>

#include "unit/lowering/lab.h"

namespace lowering_program_regions_test {

using namespace lowering_lab;

namespace {

std::string towers(const std::string& word, int branches) {
  std::string first, body;
  for (const char* name : {"x", "y", "z"}) {
    if (branches-- == 0) break;
    first += std::string(name) + " = a + " + std::to_string(branches) + "\n";
    body += std::string(name) + " = e@" + name + "(" + name + ")\n";
  }
  return "dim batch = 16, d = 32, dd = 32, layers = 2\n"
         "input a[batch, d] from gaussian(seed=1)\n"
         "block e(x) {\n"
         "  param w[d] ~ normal(0.5)\n"
         "  param w2[d, dd] ~ normal(0.1)\n"
         "  h = x * w\n"
         "  return einsum(h * sigmoid(h), w2 over d)[dd -> d]\n"
         "}\n" +
         first + "repeat layers { " + word + " {\n" + body + "} }\n" + "loss mean(x^2)" +
         (first.find("y =") != std::string::npos ? " + mean(y^2)" : "") +
         (first.find("z =") != std::string::npos ? " + mean(z * sin(x))" : "") +
         "\ntrain { optimizer = sgd(0.1) steps = 2 precision = f64 }\n";
}

}  // namespace

TEST_CASE("branches side by side in a region keep their order") {
  for (const int branches : {1, 2, 3}) {
    const Model kept = model_of(towers("if true", branches));
    const Numbers expected = train(kept, place(kept, {}, {}));
    const Model again = model_of(towers("recompute", branches));
    CHECK(difference(expected, train(again, place(again, {}, {}))) < 1e-13);
    Assignment full = place(kept, {{{"r", 2}}}, {{"batch", "r"}});
    full.options.recompute_full = true;
    CHECK(difference(expected, train(kept, full)) < 1e-13);
  }
}

}  // namespace lowering_program_regions_test
