// Programs in f64: the same instructions, and no other float type.
#include "ir/in_f64.h"

#include <catch2/catch.hpp>

#include "ir/text.h"
#include "ir/verify.h"

namespace ir_in_f64_test {

using namespace mtfc;

namespace {

constexpr const char* text = R"(module "m.mtf"
mesh rows=2
dim d = 8 "d"
variable "w": f32[d] parameter
input "x": bf16[d/rows] from "x" ""
step train = 1
program train {
  %0.x: bf16[d/rows] = feed name="x"  @ 0:0-0 forward
  %1.w: f32[d] = read variable="w"  @ 0:0-0 forward
  %2: bool[d/rows], %3: f16[d/rows] = map %0.x body=[operand 0 bf16, constant 0.5 bf16, lt 0 1 bool, cast 0 f16] body_results=[2, 3]  @ 0:0-0 forward
  write %1.w variable="w"  @ 0:0-0 forward
}
)";

std::size_t count(const std::string& all, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = all.find(word); at != all.npos; at = all.find(word, at + 1)) ++found;
  return found;
}

Module some_module() {
  std::string error;
  std::optional<Module> module = parse_module(text, error);
  INFO(error);
  REQUIRE(module);
  REQUIRE(verify(*module) == "");
  return std::move(*module);
}

}  // namespace

TEST_CASE("in f64 a program has its instructions, and no other float type") {
  const Module module = some_module();
  const Module wide = in_f64(module);
  CHECK(verify(wide) == "");
  const std::string all = print(wide);
  CHECK(count(all, "f32") + count(all, "bf16") + count(all, "f16") == 0);
  CHECK(count(all, "bool") == count(print(module), "bool"));
  REQUIRE(wide.programs[0].instructions.size() == module.programs[0].instructions.size());
  CHECK(print(in_f64(wide)) == all);
}

TEST_CASE("the narrowest type of a program says how much it rounds") {
  CHECK(rounding_unit(some_module()) == 0x1p-8);
  CHECK(rounding_unit(in_f64(some_module())) == 0x1p-53);
  CHECK(rounding_unit(Module()) == 0x1p-53);
}

}  // namespace ir_in_f64_test
