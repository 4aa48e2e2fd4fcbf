// Inputs that are indices, found through what renames them.
#include "lowering/graph/index_inputs.h"

#include <catch2/catch.hpp>

#include "unit/lowering/lab.h"

namespace lowering_graph_index_inputs_test {

using namespace mtfc;

namespace {

std::string found(const std::string& body) {
  const Model model = lowering_lab::model_of(
      "dim batch = 2, rows = 5, few = 3, d = 2, classes = 4\n"
      "input i[batch]: int from gaussian_labels(classes=3)\n"
      "input x[batch, classes] from gaussian()\n"
      "param w[rows, d] = 1\nparam v[few, d] = 1\n" +
      body + "\nloss mean(w) + mean(v) + mean(x)");
  std::string text;
  for (const lowering::IndexInput& index : lowering::find_index_inputs(model))
    text += index.input + " < " + model.dims.name(index.dim) + "; ";
  return text;
}

}  // namespace

TEST_CASE("ids of a table and classes of a cross entropy are indices; the smallest size counts") {
  CHECK(found("loss a = mean(w[rows = i])") == "i < rows; ");
  CHECK(found("loss a = mean(w[rows = i]) + mean(v[few = i])") == "i < few; ");
  CHECK(found("loss a = mean(cross_entropy(x, i over classes))") == "i < classes; ");
}

TEST_CASE("computed indices and look-ups with a value for what is outside are free") {
  CHECK(found("loss a = mean(w[rows = i + 1])") == "");
  CHECK(found("loss a = mean(w[rows = i else 1])") == "");
}

}  // namespace lowering_graph_index_inputs_test
