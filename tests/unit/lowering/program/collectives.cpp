// Passes over collectives, from text to text.
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "backends/execute/simulator.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/pipeline.h"
#include "lowering/program/program_passes.h"

namespace lowering_program_collectives_test {

using namespace mtfc;

namespace {

const std::string head = R"(module "m.mtf"
mesh rows=2 cols=2
dim a = 8 "a"
dim b = 8 "b"
dim big = 65536 "big"
dim c = 4 "c"
dim d = 2 "d"
dim e = 16 "e"
dim two = 2 "two"
dim part = 16384 "part"
variable "p": f32[b] parameter
variable "q": f32[e] parameter
input "x": f32[a/rows, b] from "x" ""
input "s": f32[a/rows, e] from "s" ""
input "y": f32[a/rows, big] from "y" ""
input "v": f32[b] from "v" ""
input "u": f32[e] from "u" ""
input "z": f32[e/rows+cols, b] from "z" ""
input "t": f32[two/rows, b] from "t" ""
)";

/// Instructions are written without the place that they come from.
Module parsed(const std::string& body) {
  std::istringstream lines(body);
  std::string text, line, error;
  while (std::getline(lines, line))
    text += line + (line.starts_with("  ") ? "  @ 0:0-0 forward\n" : "\n");
  const auto module = parse_module(head + text, error);
  INFO(error);
  REQUIRE(module);
  REQUIRE(verify(*module) == "");
  return *module;
}

/// What the program fetches and the variables after it, where inputs are numbers that no sum has
/// exactly.
std::vector<std::vector<std::byte>> bits(const Module& module) {
  backends::Simulator simulator(module, {1, true});
  runtime::Feeds feeds;
  int n = 0;
  for (const ModuleInput& input : module.inputs) {
    std::vector<std::int64_t> extents;
    for (DimId dim : input.type.tensor.dims) extents.push_back(module.dims.size(dim));
    runtime::HostTensor tensor = runtime::HostTensor::zeros(DType::f32, extents);
    for (std::int64_t i = 0; i < tensor.elements(); ++i, ++n)
      tensor.as<float>()[i] = static_cast<float>(std::sin(n) * std::exp(n % 7));
    feeds[input.name] = std::move(tensor);
  }
  std::vector<runtime::Fetched> fetched;
  simulator.run("run", feeds, fetched);
  std::vector<std::vector<std::byte>> all;
  for (const runtime::Fetched& one : fetched) all.push_back(one.value.data);
  for (const ModuleVariable& variable : module.variables)
    all.push_back(simulator.variable(variable.path).data);
  CHECK(simulator.replica_error() == "");
  return all;
}

void check_same(const Module& made, const std::string& wanted) {
  CHECK(verify(made) == "");
  CHECK(print(made) == print(parsed(wanted)));
}

}  // namespace

TEST_CASE("equal collectives of one value become one") {
  Module module = parsed(R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a, b] = all_gather %0 dims=[a] axis=rows
  %2: f32[a, b] = all_gather %0 dims=[a] axis=rows
  %3: f32[a, b/cols] = shard %2 dim=b axis=cols
  fetch %1 kind=tensor name="p"
  fetch %2 kind=tensor name="q"
  fetch %3 kind=tensor name="r"
}
)");
  lowering::share_moves(module.programs[0]);
  check_same(module, R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a, b] = all_gather %0 dims=[a] axis=rows
  %2: f32[a, b/cols] = shard %1 dim=b axis=cols
  fetch %1 kind=tensor name="p"
  fetch %1 kind=tensor name="q"
  fetch %2 kind=tensor name="r"
}
)");
}

TEST_CASE("small sums over the same axes wait for each other until one is used") {
  Module module = parsed(R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a/rows, big] = feed name="y"
  %2: f32[b] partial(rows) = reduce %0 combine=sum reduced=[a]
  %3: f32[b] = all_reduce %2 combine=sum axes=[rows]
  %4: f32[big] partial(rows) = reduce %1 combine=sum reduced=[a]
  %5: f32[big] = all_reduce %4 combine=sum axes=[rows]
  %6: f32[b] partial max(rows) = reduce %0 combine=max reduced=[a]
  %7: f32[b] = all_reduce %6 combine=max axes=[rows]
  %8: f32[] partial(rows) = reduce %0 combine=sum reduced=[a, b]
  %9: f32[] = all_reduce %8 combine=sum axes=[rows]
  fetch %3 kind=tensor name="s"
  fetch %5 kind=tensor name="t"
  fetch %7 kind=tensor name="u"
  fetch %9 kind=tensor name="v"
}
)");
  lowering::bucket_collectives(module.programs[0], module.dims);
  check_same(module, R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a/rows, big] = feed name="y"
  %2: f32[b] partial(rows) = reduce %0 combine=sum reduced=[a]
  %3: f32[big] partial(rows) = reduce %1 combine=sum reduced=[a]
  %4: f32[big] = all_reduce %3 combine=sum axes=[rows]
  %5: f32[b] partial max(rows) = reduce %0 combine=max reduced=[a]
  %6: f32[] partial(rows) = reduce %0 combine=sum reduced=[a, b]
  %7: f32[b], %8: f32[] = all_reduce %2, %6 combine=sum axes=[rows]
  fetch %7 kind=tensor name="s"
  fetch %4 kind=tensor name="t"
  %9: f32[b] = all_reduce %5 combine=max axes=[rows]
  fetch %9 kind=tensor name="u"
  fetch %8 kind=tensor name="v"
}
)");
}

TEST_CASE("small reduce-scatters and all-gathers are packed, a dimension for each") {
  const Module before = parsed(R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a/rows, e] = feed name="s"
  %2: f32[a/rows, big] = feed name="y"
  %3: f32[b] partial(rows) = reduce %0 combine=sum reduced=[a]
  %4: f32[b/rows] = reduce_scatter %3 combine=sum dims=[b] axis=rows
  %5: f32[big] partial(rows) = reduce %2 combine=sum reduced=[a]
  %6: f32[big/rows] = reduce_scatter %5 combine=sum dims=[big] axis=rows
  %7: f32[e] partial(rows) = reduce %1 combine=sum reduced=[a]
  %8: f32[e/rows] = reduce_scatter %7 combine=sum dims=[e] axis=rows
  %9: f32[b/rows] = map %4, %4 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %10: f32[b] = all_gather %9 dims=[b] axis=rows
  write %10 variable="p"
  %11: f32[e/rows] = map %8, %8 body=[operand 0 f32, operand 1 f32, add 0 1 f32] body_results=[2]
  %12: f32[e] = all_gather %11 dims=[e] axis=rows
  write %12 variable="q"
  fetch %6 kind=tensor name="t"
}
)");
  Module module = before;
  lowering::bucket_collectives(module.programs[0], module.dims);
  check_same(module, R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a/rows, e] = feed name="s"
  %2: f32[a/rows, big] = feed name="y"
  %3: f32[b] partial(rows) = reduce %0 combine=sum reduced=[a]
  %4: f32[big] partial(rows) = reduce %2 combine=sum reduced=[a]
  %5: f32[big/rows] = reduce_scatter %4 combine=sum dims=[big] axis=rows
  %6: f32[e] partial(rows) = reduce %1 combine=sum reduced=[a]
  %7: f32[b/rows], %8: f32[e/rows] = reduce_scatter %3, %6 combine=sum dims=[b, e] axis=rows
  %9: f32[b/rows] = map %7, %7 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %10: f32[e/rows] = map %8, %8 body=[operand 0 f32, operand 1 f32, add 0 1 f32] body_results=[2]
  fetch %5 kind=tensor name="t"
  %11: f32[b], %12: f32[e] = all_gather %9, %10 dims=[b, e] axis=rows
  write %11 variable="p"
  write %12 variable="q"
}
)");
  CHECK(bits(module) == bits(before));
}

TEST_CASE("what is summed axis by axis is packed axis by axis, casts and views between included") {
  const Module before = parsed(R"(program run {
  %0: f32[e/rows+cols, b] = feed name="z"
  %1: f32[b] partial(rows+cols) = reduce %0 combine=sum reduced=[e]
  %2: f32[b/rows] partial(cols) = reduce_scatter %1 combine=sum dims=[b] axis=rows
  %3: f64[b/rows] partial(cols) = map %2 body=[operand 0 f32, cast 0 f64] body_results=[1]
  %4: f64[b/rows] = all_reduce %3 combine=sum axes=[cols]
  %5: f32[e/rows+cols, b] = map %0, %0 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %6: f32[b] partial(rows+cols) = reduce %5 combine=sum reduced=[e]
  %7: f32[b/rows] partial(cols) = reduce_scatter %6 combine=sum dims=[b] axis=rows
  %8: f64[b/rows] partial(cols) = map %7 body=[operand 0 f32, cast 0 f64] body_results=[1]
  %9: f64[b/rows] = all_reduce %8 combine=sum axes=[cols]
  %10: f64[c/rows, d] = rearrange %4 groups=[b -> (c, d)]
  fetch %9 kind=tensor name="s"
  fetch %10 kind=tensor name="t"
}
)");
  Module module = before;
  lowering::bucket_collectives(module.programs[0], module.dims);
  check_same(module, R"(program run {
  %0: f32[e/rows+cols, b] = feed name="z"
  %1: f32[b] partial(rows+cols) = reduce %0 combine=sum reduced=[e]
  %2: f32[e/rows+cols, b] = map %0, %0 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %3: f32[b] partial(rows+cols) = reduce %2 combine=sum reduced=[e]
  %4: f32[b/rows] partial(cols), %5: f32[b/rows] partial(cols) = reduce_scatter %1, %3 combine=sum dims=[b, b] axis=rows
  %6: f64[b/rows] partial(cols) = map %4 body=[operand 0 f32, cast 0 f64] body_results=[1]
  %7: f64[b/rows] partial(cols) = map %5 body=[operand 0 f32, cast 0 f64] body_results=[1]
  %8: f64[b/rows], %9: f64[b/rows] = all_reduce %6, %7 combine=sum axes=[cols]
  fetch %9 kind=tensor name="s"
  %10: f64[c/rows, d] = rearrange %8 groups=[b -> (c, d)]
  fetch %10 kind=tensor name="t"
}
)");
  CHECK(bits(module) == bits(before));
}

TEST_CASE("gradients that are divided by a loss scale are packed") {
  const Module before = parsed(R"(program run {
  %0: f32[e/rows, b] = feed name="z"
  %1: f32[] = map body=[constant 3 f32] body_results=[0]
  %2: f32[b] partial(rows) = reduce %0 combine=sum reduced=[e]
  %3: f32[b] = all_reduce %2 combine=sum axes=[rows]
  %4: f32[b] = map %3, %1 body=[operand 0 f32, operand 1 f32, div 0 1 f32] body_results=[2]
  %5: f32[e/rows, b] = map %0, %0 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %6: f32[b] partial(rows) = reduce %5 combine=sum reduced=[e]
  %7: f32[b] = all_reduce %6 combine=sum axes=[rows]
  %8: f32[b] = map %7, %1 body=[operand 0 f32, operand 1 f32, div 0 1 f32] body_results=[2]
  fetch %4 kind=tensor name="s"
  fetch %8 kind=tensor name="t"
}
)");
  Module module = before;
  lowering::bucket_collectives(module.programs[0], module.dims);
  check_same(module, R"(program run {
  %0: f32[e/rows, b] = feed name="z"
  %1: f32[] = map body=[constant 3 f32] body_results=[0]
  %2: f32[b] partial(rows) = reduce %0 combine=sum reduced=[e]
  %3: f32[e/rows, b] = map %0, %0 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %4: f32[b] partial(rows) = reduce %3 combine=sum reduced=[e]
  %5: f32[b], %6: f32[b] = all_reduce %2, %4 combine=sum axes=[rows]
  %7: f32[b] = map %5, %1 body=[operand 0 f32, operand 1 f32, div 0 1 f32] body_results=[2]
  fetch %7 kind=tensor name="s"
  %8: f32[b] = map %6, %1 body=[operand 0 f32, operand 1 f32, div 0 1 f32] body_results=[2]
  fetch %8 kind=tensor name="t"
}
)");
  CHECK(bits(module) == bits(before));
}

TEST_CASE("a bucket that is full does not wait for the first user") {
  // 20 gradients of 64 KiB, each made by work of its own; 16 of them fill a bucket.
  std::string text =
      "program run {\n  %0: f32[a/rows, b] = feed name=\"x\"\n"
      "  %1: f32[part] = map body=[index 0 int, cast 0 f32] body_results=[1] indices=[part]\n";
  for (int i = 0; i < 20; ++i) {
    const std::string made = std::to_string(2 + 3 * i), sum = std::to_string(3 + 3 * i);
    const std::string scattered = std::to_string(4 + 3 * i);
    text += "  %" + made + ": f32[] partial(rows) = reduce %0 combine=sum reduced=[a, b]\n  %" +
            sum + ": f32[part] partial(rows) = map %" + made +
            ", %1 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]\n  %" +
            scattered + ": f32[part/rows] = reduce_scatter %" + sum +
            " combine=sum dims=[part] axis=rows\n";
  }
  for (int i = 0; i < 20; ++i)
    text += "  fetch %" + std::to_string(4 + 3 * i) + " kind=tensor name=\"t" + std::to_string(i) +
            "\"\n";
  const Module before = parsed(text + "}\n");
  Module module = before;
  lowering::bucket_collectives(module.programs[0], module.dims);
  REQUIRE(verify(module) == "");
  std::string order;  // of what there is: m makes, s sums
  std::vector<std::size_t> operands;
  for (const Instruction& at : module.programs[0].instructions) {
    if (std::holds_alternative<Reduce>(at.kind)) order += "m";
    if (!std::holds_alternative<ReduceScatter>(at.kind)) continue;
    order += "s";
    operands.push_back(at.operands.size());
  }
  CHECK(order == std::string(16, 'm') + "s" + std::string(4, 'm') + "s");
  CHECK(operands == std::vector<std::size_t>{16, 4});
  CHECK(bits(module) == bits(before));
}

TEST_CASE("a bucket has a dimension for each operand, which are partial alike") {
  for (const char* line : {
           "%4: f32[b/rows], %5: f32[e/rows] = reduce_scatter %2, %3 combine=sum dims=[b] "
           "axis=rows",
           "%4: f32[b/rows], %5: f32[e] = reduce_scatter %2, %3 combine=sum dims=[b, e] axis=rows",
           "%4: f32[b/rows], %5: f32[e/rows] = reduce_scatter %2, %3 combine=max dims=[b, e] "
           "axis=rows",
           "%4: f32[b/rows], %5: f32[e/rows] = reduce_scatter %2, %3 combine=sum dims=[b, b] "
           "axis=rows",
           "%4: f32[a, b], %5: f32[e] = all_gather %0, %3 dims=[a, e] axis=rows",
           "%4: f32[b] = all_gather %2 dims=[a] axis=rows",
       }) {
    std::string error;
    const std::string text = head + R"(program run {
  %0: f32[a/rows, b] = feed name="x"  @ 0:0-0 forward
  %1: f32[a/rows, e] = feed name="s"  @ 0:0-0 forward
  %2: f32[b] partial(rows) = reduce %0 combine=sum reduced=[a]  @ 0:0-0 forward
  %3: f32[e] partial(rows) = reduce %1 combine=sum reduced=[a]  @ 0:0-0 forward
  )" + line + "  @ 0:0-0 forward\n}\n";
    const auto module = parse_module(text, error);
    INFO(line << ": " << error);
    CHECK((!module || verify(*module) != ""));
  }
}

TEST_CASE("a reduce-scatter stands where what it sums is made") {
  Module module = parsed(R"(program run {
  %0: f32[e/rows+cols, b] = feed name="z"
  %1: f32[b] partial(rows+cols) = reduce %0 combine=sum reduced=[e]
  %2: f32[b] = all_reduce %1 combine=sum axes=[rows, cols]
  %3: f32[c, d] = rearrange %2 groups=[b -> (c, d)]
  %4: f32[e/rows+cols, b] = map %0, %0 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %5: f32[c/rows, d] = shard %3 dim=c axis=rows
  fetch %4 kind=tensor name="r"
  fetch %5 kind=tensor name="s"
}
)");
  lowering::scatter_reductions(module.programs[0]);
  check_same(module, R"(program run {
  %0: f32[e/rows+cols, b] = feed name="z"
  %1: f32[b] partial(rows+cols) = reduce %0 combine=sum reduced=[e]
  %2: f32[c, d] partial(rows+cols) = rearrange %1 groups=[b -> (c, d)]
  %3: f32[c/rows, d] partial(cols) = reduce_scatter %2 combine=sum dims=[c] axis=rows
  %4: f32[c/rows, d] = all_reduce %3 combine=sum axes=[cols]
  %5: f32[e/rows+cols, b] = map %0, %0 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  fetch %5 kind=tensor name="r"
  fetch %4 kind=tensor name="s"
}
)");
}

TEST_CASE("what is gathered to be summed is summed first, views and maps between included") {
  Module module = parsed(R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[b] = feed name="v"
  %2: f32[a, b] = all_gather %0 dims=[a] axis=rows
  %3: f32[c, d, b] = rearrange %2 groups=[a -> (c, d)]
  %4: f32[c, d, b] = map %3, %1 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %5: f32[b] = reduce %4 combine=sum reduced=[c, d]
  fetch %5 kind=tensor name="s"
}
)");
  lowering::gather_reduce(module.programs[0], module.dims, module.mesh);
  check_same(module, R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[b] = feed name="v"
  %2: f32[c/rows, d, b] = rearrange %0 groups=[a -> (c, d)]
  %3: f32[c/rows, d, b] = map %2, %1 body=[operand 0 f32, operand 1 f32, mul 0 1 f32] body_results=[2]
  %4: f32[b] partial(rows) = reduce %3 combine=sum reduced=[c, d]
  %5: f32[b] = all_reduce %4 combine=sum axes=[rows]
  fetch %5 kind=tensor name="s"
}
)");
}

TEST_CASE("a contraction of what was gathered takes the shard, and the other operand's block") {
  Module module = parsed(R"(program run {
  %0: f32[e/rows+cols, b] = feed name="z"
  %1: f32[e] = feed name="u"
  %2: f32[e/rows, b] = all_gather %0 dims=[e] axis=cols
  %3: f32[e, b] = all_gather %2 dims=[e] axis=rows
  %4: f32[b] = contract %3, %1 reduced=[e]
  fetch %4 kind=tensor name="s"
}
)");
  lowering::gather_reduce(module.programs[0], module.dims, module.mesh);
  check_same(module, R"(program run {
  %0: f32[e/rows+cols, b] = feed name="z"
  %1: f32[e] = feed name="u"
  %2: f32[e/rows] = shard %1 dim=e axis=rows
  %3: f32[e/rows+cols] = shard %2 dim=e axis=cols
  %4: f32[b] partial(rows+cols) = contract %0, %3 reduced=[e]
  %5: f32[b] = all_reduce %4 combine=sum axes=[rows, cols]
  fetch %5 kind=tensor name="s"
}
)");
}

TEST_CASE("a gather stays where its shard is no larger than the sum, or something else needs it") {
  for (const char* body : {R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a, b] = all_gather %0 dims=[a] axis=rows
  %2: f32[b] = reduce %1 combine=sum reduced=[a]
  fetch %1 kind=tensor name="whole"
  fetch %2 kind=tensor name="s"
}
)",
                           R"(program run {
  %0: f32[two/rows, b] = feed name="t"
  %1: f32[two, b] = all_gather %0 dims=[two] axis=rows
  %2: f32[b] = reduce %1 combine=max reduced=[two]
  fetch %2 kind=tensor name="s"
}
)",
                           R"(program run {
  %0: f32[a/rows, b] = feed name="x"
  %1: f32[a, b] = all_gather %0 dims=[a] axis=rows
  %2: f32[a] = reduce %1 combine=sum reduced=[b]
  fetch %2 kind=tensor name="s"
}
)"}) {
    Module module = parsed(body);
    lowering::gather_reduce(module.programs[0], module.dims, module.mesh);
    check_same(module, body);
  }
}

}  // namespace lowering_program_collectives_test
