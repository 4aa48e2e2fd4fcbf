// What operations of a graph that was read from a text must have: operands, attributes, types.
#include <catch2/catch.hpp>

#include "ir/text.h"
#include "lowering/pipeline.h"

namespace lowering_signatures_test {

using namespace mtfc;

namespace {

/// What is wrong with an operation in a graph that has some values; "" if nothing is.
std::string wrong(const std::string& line) {
  DimTable dims;
  for (const auto& [name, size] : {std::pair("a", 8), std::pair("b", 4), std::pair("k", 2)}) {
    Dim dim;
    dim.name = name;
    dim.size = size;
    dims.add(std::move(dim));
  }
  const std::string text =
      "graph g {\n"
      "  %0: f32[a=8, b=4] = input name=\"x\" dtype=f32 dims=[a, b]  @ forward\n"
      "  %1: int[k=2] = input name=\"i\" dtype=int dims=[k]  @ forward\n"
      "  " +
      line + "  @ forward\n}\n";
  std::string error;
  const auto graph = parse_graph(text, dims, error);
  INFO(line << ": " << error);
  REQUIRE(graph);
  const std::string why = lowering::verify(*graph, dims);
  return why.empty() ? "" : why.substr(3, why.rfind(": ") - 3);
}

}  // namespace

TEST_CASE("operands and attributes are those that the operation has") {
  CHECK(wrong("%2: f32[a=8] = reduce %0 kind=\"sum\" to=[a]").empty());
  CHECK(wrong("%2: f32[a=8] = reduce %0 kind=\"sum\"") == "`to=` is missing");
  CHECK(wrong("%2: f32[a=8] = reduce %0 kind=\"sum\" to=3") == "`to=` has a value of another type");
  CHECK(wrong("%2: f32[a=8] = reduce %0 kind=\"sum\" to=[a] over=[b]") ==
        "there is no `over=` here");
  CHECK(wrong("%2: f32[a=8] = reduce %0, %0 kind=\"sum\" to=[a]") == "wrong number of operands");
  CHECK(wrong("%2: f32[a=8] = reduce %0 kind=\"total\" to=[a]") == "no such reduction");
  CHECK(wrong("%2: f32[a=8, b=4] = add %0, %0").empty());
  CHECK(wrong("%2: f32[a=8, b=4] = add %0") == "wrong number of operands");
  CHECK(wrong("%2: f32[a=8, b=4] = cumsum %0 dim=[a, b]") == "`dim=` has a value of another type");
}

TEST_CASE("adjoints fit what they are the adjoints of") {
  CHECK(wrong("%2: f32[k=2, b=4] = gather %0, %1 dims=[a]").empty());
  CHECK(wrong("%2: f32[k=2] = scatter_add %0, %1 dims=[a] to=[k]") == "the operand lacks `a`");
  CHECK(wrong("%2: f32[b=4, a=8] = scatter_add %0, %1 dims=[b] to=[b, a]") ==
        "the operand does not fit");
  CHECK(wrong("%2: f32[b=4, k=2] = window_add %0 items=[k = 0 + 1 a] to=[k, b]") ==
        "wrong resulting type");
  CHECK(wrong("%2: f32[k=2, b=4] = window_add %0 items=[k = 0 + 1 a] to=[k, b]").empty());
  CHECK(wrong("%2: f32[k=2] = window_add %0 items=[k = 0 + 1 a] to=[k]") ==
        "the operand does not fit");
}

TEST_CASE("a sample has the type of its distribution") {
  const auto sample = [](const std::string& of, const std::string& type) {
    return wrong("%2: " + type + "[a=8] = random distribution=\"" + of +
                 "\" a=0.5 b=0.0 key=7 dtype=" + type + " dims=[a]");
  };
  CHECK(sample("normal", "f32").empty());
  CHECK(sample("normal", "int") == "a random sample of another type");
  CHECK(sample("bernoulli", "bool").empty());
  CHECK(sample("bernoulli", "f32") == "a random sample of another type");
}

}  // namespace lowering_signatures_test
