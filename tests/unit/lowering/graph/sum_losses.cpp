// Losses of different types and what training minimises.
#include <catch2/catch.hpp>

#include "support/host_tensor.h"
#include "unit/lowering/lab.h"

namespace lowering_graph_sum_losses_test {

using namespace mtfc;

namespace {

/// An element of w after one step from 1, on two processors.
double trained(const std::string& losses) {
  const Model model =
      lowering_lab::model_of("dim b = 4\nparam w[b] = 1\n" + losses +
                             "\ntrain { optimizer = sgd(lr=0.125)\n  steps = 1 }\n");
  Mesh mesh;
  mesh.axes = {{"rows", 2}};
  return element(
      lowering_lab::train(model, lowering_lab::place(model, mesh, {{"b", "rows"}})).at("after w"),
      3);
}

}  // namespace

TEST_CASE("losses of any float types are summed, and all train") {
  const double slope = 2 + 3;
  CHECK(trained("loss sum(w * w) + 3 * sum(w)") == 1 - 0.125 * slope);
  for (const char* second : {"f64(w)", "f16(w)", "bf16(w)"}) {
    INFO(second);
    CHECK(trained(std::string("loss sum(w * w)\nloss second = 3 * sum(") + second + ")") ==
          1 - 0.125 * slope);
  }
  CHECK(trained("loss first = sum(f16(w))\nloss second = sum(bf16(w))") == 1 - 0.125 * 2);
}

}  // namespace lowering_graph_sum_losses_test
