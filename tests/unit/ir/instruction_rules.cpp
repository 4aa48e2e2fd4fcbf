// The rule of each instruction: what is wrong with its types, dimensions and fields.
#include <catch2/catch.hpp>

#include "ir/text.h"
#include "ir/verify.h"

namespace ir_instruction_rules_test {

using namespace mtfc;

namespace {

/// What is wrong with an instruction in a program that has some values; "" if nothing is.
std::string wrong(const std::string& line) {
  const std::string text =
      "mesh rows=2\n"
      "dim a = 8 \"a\"\ndim b = 4 \"b\"\ndim c = 4 \"c\"\ndim d = 2 \"d\"\ndim f = 8 \"f\"\n"
      "dim one = 1 \"one\"\n"
      "program p {\n"
      "  %0: f32[a, b] = feed name=\"x\"  @ forward\n"
      "  %1: f32[b, c] = feed name=\"y\"  @ forward\n"
      "  %2: int[a] = feed name=\"i\"  @ forward\n"
      "  %3: bool[a] = feed name=\"m\"  @ forward\n"
      "  %4: int[] = feed name=\"n\"  @ forward\n"
      "  %5: f32[a, one] = feed name=\"z\"  @ forward\n"
      "  %6: f64[a, b] = feed name=\"w\"  @ forward\n"
      "  %7: f32[a, c] = feed name=\"v\"  @ forward\n"
      "  " +
      line + "  @ forward\n}\n";
  std::string error;
  const auto module = parse_module(text, error);
  INFO(line << ": " << error);
  REQUIRE(module);
  const std::string why = verify(*module);
  if (why.empty()) return "";
  REQUIRE(why.starts_with("p: "));
  return why.substr(3, why.find(": %") - 3);
}

}  // namespace

TEST_CASE("products and reductions") {
  CHECK(wrong("%9: f32[a, c] = contract %0, %1 reduced=[b]").empty());
  CHECK(wrong("%9: int[a, c] = contract %0, %1 reduced=[b]") == "a product of what is not floats");
  CHECK(wrong("%9: f32[a, c] = contract %0, %1 reduced=[b, b]") == "a dimension is reduced twice");
  CHECK(wrong("%9: f32[b, c] = contract %0, %1 reduced=[a]") ==
        "a reduced dimension is not in both operands");
  CHECK(wrong("%9: f32[a, b] = add_product %7, %1, %0, %4 reduced=[c]").empty());
  CHECK(wrong("%9: f32[a, b] = add_product %7, %1, %6, %4 reduced=[c]") ==
        "the sum has another type than the result");
  CHECK(wrong("%9: f32[a, b] = add_product %7, %1, %0, %2 reduced=[c]") ==
        "the number is not one int");
  CHECK(wrong("%9: f32[a, b] = add_product %7, %1, %0, %4 reduced=[a]") ==
        "a reduced dimension is not in both operands");
  CHECK(wrong("%9: f32[a] = reduce %0 combine=sum reduced=[b]").empty());
  CHECK(wrong("%9: int[a] = reduce %0 combine=sum reduced=[b]") == "wrong resulting type");
  CHECK(wrong("%9: int[] = reduce %3 combine=sum reduced=[a]").empty());
  CHECK(wrong("%9: bool[] = reduce %3 combine=sum reduced=[a]") == "wrong resulting type");
  CHECK(wrong("%9: bool[] = reduce %3 combine=max reduced=[a]").empty());
  CHECK(wrong("%9: f32[a, b] = reduce %0 combine=sum reduced=[c]") ==
        "a reduced dimension is not in the operand");
}

TEST_CASE("views, ranges and what stands one after the other") {
  CHECK(wrong("%9: f32[f, b] = rearrange %0 groups=[a -> f]").empty());
  CHECK(wrong("%9: int[f, b] = rearrange %0 groups=[a -> f]") == "the element type changes");
  CHECK(wrong("%9: f32[c, b] = rearrange %0 groups=[a -> c]") == "a view changes a size");
  CHECK(wrong("%9: f32[a, b, f] = rearrange %0 groups=[f -> f]") ==
        "a view of a missing dimension");
  CHECK(wrong("%9: f32[c, b] = slice %0 dim=a fresh=c begin=4").empty());
  CHECK(wrong("%9: f32[c, b] = slice %0 dim=a fresh=c begin=5") ==
        "the range is not within the dimension");
  CHECK(wrong("%9: int[c, b] = slice %0 dim=a fresh=c begin=0") == "the element type changes");
  CHECK(wrong("%9: f32[c] = slice %0 dim=a fresh=c begin=0") == "wrong resulting dimensions");
  CHECK(wrong("%9: f32[f, c] = pad %1 fresh=b dim=f begin=2").empty());
  CHECK(wrong("%9: f32[f] = pad %1 fresh=b dim=f begin=2") == "wrong resulting dimensions");
  CHECK(wrong("%9: f32[a, f] = concat %0, %0 operand_dims=[b, b] dim=f").empty());
  CHECK(wrong("%9: f32[a, f] = concat %0, %6 operand_dims=[b, b] dim=f") ==
        "the element type changes");
}

TEST_CASE("looking up and its adjoint") {
  CHECK(wrong("%9: f32[a, c] = gather %1, %2 dims=[b] fill=0.0").empty());
  CHECK(wrong("%9: f32[a, c] = gather %1, %3 dims=[b] fill=0.0") == "an index is not int");
  CHECK(wrong("%9: f32[a, c] = gather %1, %2 dims=[d] fill=0.0") ==
        "an indexed dimension is missing");
  CHECK(wrong("%9: f32[a] = gather %1, %2 dims=[b] fill=0.0") == "wrong resulting dimensions");
  CHECK(wrong("%9: f64[a, c] = gather %1, %2 dims=[b] fill=0.0") == "the element type changes");
  CHECK(wrong("%9: f32[f, b] = scatter_add %0, %2 dims=[f] reduced=[a]").empty());
  CHECK(wrong("%9: f32[f, b] = scatter_add %0, %2 dims=[f]") == "other dimensions are reduced");
  CHECK(wrong("%9: f32[b, c] = add_at %7, %2, %1 dim=b reduced=[a]").empty());
  CHECK(wrong("%9: f32[b, c] = add_at %7, %2, %1 dim=b") == "other dimensions are reduced");
  CHECK(wrong("%9: f64[b, c] = add_at %7, %2, %1 dim=b reduced=[a]") ==
        "the sum has another type than the result");
  CHECK(wrong("%9: bool[f] = scatter_add %3, %2 dims=[f] reduced=[a]") == "a sum of bool");
  CHECK(wrong("%9: f32[a, b] = put %0, %5, %4 dim=b entry=one").empty());
  CHECK(wrong("%9: f32[a, b] = put %0, %5, %2 dim=b entry=one") == "the position is not one int");
}

TEST_CASE("windows and running sums") {
  CHECK(wrong("%9: f32[d, b] = window %0 items=[a = 1 + 2 d] fill=0.0").empty());
  CHECK(wrong("%9: f32[d, b] = window %0 items=[a = 1 + 2 d + 1 d] fill=0.0") ==
        "an index has two terms of one dimension");
  CHECK(wrong("%9: f32[d, b] = window %0 items=[a = 1 + 2 d, a = 0 + 1 d] fill=0.0") ==
        "a dimension is indexed twice");
  CHECK(wrong("%9: f32[f, b] = window_add %0 items=[f = 0 + 1 a] reduced=[a]").empty());
  CHECK(wrong("%9: f32[f, b] = window_add %0 items=[f = 0 + 1 a]") ==
        "other dimensions are reduced");
  CHECK(wrong("%9: f32[a, b] = prefix_sum %0 dim=a").empty());
  CHECK(wrong("%9: bool[a] = prefix_sum %3 dim=a") == "a sum of bool");
}

TEST_CASE("scalar programs have types") {
  const auto map = [](const std::string& made, const std::string& rest) {
    return wrong("%9: " + made + " = map " + rest);
  };
  CHECK(map("f32[a, b]", "%0 body=[operand 0 f32, add 0 0 f32] body_results=[1]").empty());
  CHECK(map("f32[a, b]", "%0 body=[operand 0 int, add 0 0 int] body_results=[1]") ==
        "an operand is read as another type");
  CHECK(map("f32[a, b]", "%0 body=[operand 0 f32, add 0 0 int] body_results=[1]") ==
        "a scalar operation that makes another type");
  CHECK(map("f64[a, b]", "%0 body=[operand 0 f32, add 0 0 f32] body_results=[1]") ==
        "a result has another type than the scalar value");
  CHECK(map("f32[a, b]",
            "%0, %6 body=[operand 0 f32, operand 1 f64, add 0 1 f32] body_results=[2]") ==
        "a scalar operation of several types");
  CHECK(map("int[a]", "%2 body=[operand 0 int, sqrt 0 int] body_results=[1]") ==
        "a scalar operation of a type that it does not take");
  CHECK(map("bool[a]", "%2 body=[operand 0 int, eq 0 0 bool] body_results=[1]").empty());
  CHECK(map("int[a]", "%2 body=[operand 0 int, eq 0 0 int] body_results=[1]") ==
        "a scalar operation that makes another type");
  CHECK(map("int[a]", "%2 body=[operand 0 int, select 0 0 0 int] body_results=[1]") ==
        "a condition is not bool");
  CHECK(map("f32[a, b]", "%0 body=[operand 1 f32] body_results=[0]") == "a leaf names no operand");
}

}  // namespace ir_instruction_rules_test
