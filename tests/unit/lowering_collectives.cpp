// Passes over collectives, from text to text.
#include <catch2/catch.hpp>
#include <sstream>

#include "ir/text.h"
#include "lowering/pipeline.h"
#include "lowering/program_passes.h"

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
input "x": f32[a/rows, b] from "x" ""
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
  REQUIRE(lowering::verify(*module) == "");
  return *module;
}

void check_same(const Module& made, const std::string& wanted) {
  CHECK(lowering::verify(made) == "");
  CHECK(print(made) == print(parsed(wanted)));
}

}  // namespace

TEST_CASE("equal collectives of one value become one") {
  Module module = parsed(R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[a, b] = all_gather %0 a over rows
  %2: f32[a, b] = all_gather %0 a over rows
  %3: f32[a, b/cols] = shard %2 b over cols
  fetch %1 tensor "p"
  fetch %2 tensor "q"
  fetch %3 tensor "r"
}
)");
  lowering::share_moves(module.programs[0]);
  check_same(module, R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[a, b] = all_gather %0 a over rows
  %2: f32[a, b/cols] = shard %1 b over cols
  fetch %1 tensor "p"
  fetch %1 tensor "q"
  fetch %2 tensor "r"
}
)");
}

TEST_CASE("small sums over the same axes wait for each other until one is used") {
  Module module = parsed(R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[a/rows, big] = feed "y"
  %2: f32[b] partial(rows) = reduce %0 sum reduced(a)
  %3: f32[b] = all_reduce %2 sum along(rows)
  %4: f32[big] partial(rows) = reduce %1 sum reduced(a)
  %5: f32[big] = all_reduce %4 sum along(rows)
  %6: f32[b] partial max(rows) = reduce %0 max reduced(a)
  %7: f32[b] = all_reduce %6 max along(rows)
  %8: f32[] partial(rows) = reduce %0 sum reduced(a, b)
  %9: f32[] = all_reduce %8 sum along(rows)
  fetch %3 tensor "s"
  fetch %5 tensor "t"
  fetch %7 tensor "u"
  fetch %9 tensor "v"
}
)");
  lowering::bucket_reductions(module.programs[0], module.dims);
  check_same(module, R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[a/rows, big] = feed "y"
  %2: f32[b] partial(rows) = reduce %0 sum reduced(a)
  %3: f32[big] partial(rows) = reduce %1 sum reduced(a)
  %4: f32[big] = all_reduce %3 sum along(rows)
  %5: f32[b] partial max(rows) = reduce %0 max reduced(a)
  %6: f32[] partial(rows) = reduce %0 sum reduced(a, b)
  %7: f32[b], %8: f32[] = all_reduce %2, %6 sum along(rows)
  fetch %7 tensor "s"
  fetch %4 tensor "t"
  %9: f32[b] = all_reduce %5 max along(rows)
  fetch %9 tensor "u"
  fetch %8 tensor "v"
}
)");
}

TEST_CASE("what is gathered to be summed is summed first, views and maps between included") {
  Module module = parsed(R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[b] = feed "v"
  %2: f32[a, b] = all_gather %0 a over rows
  %3: f32[c, d, b] = rearrange %2 [a -> (c, d)]
  %4: f32[c, d, b] = map %3, %1 { operand 0 f32; operand 1 f32; mul 0 1 f32; yield 2 }
  %5: f32[b] = reduce %4 sum reduced(c, d)
  fetch %5 tensor "s"
}
)");
  lowering::gather_reduce(module.programs[0], module.dims, module.mesh);
  check_same(module, R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[b] = feed "v"
  %2: f32[c/rows, d, b] = rearrange %0 [a -> (c, d)]
  %3: f32[c/rows, d, b] = map %2, %1 { operand 0 f32; operand 1 f32; mul 0 1 f32; yield 2 }
  %4: f32[b] partial(rows) = reduce %3 sum reduced(c, d)
  %5: f32[b] = all_reduce %4 sum along(rows)
  fetch %5 tensor "s"
}
)");
}

TEST_CASE("a contraction of what was gathered takes the shard, and the other operand's block") {
  Module module = parsed(R"(program run {
  %0: f32[e/rows+cols, b] = feed "z"
  %1: f32[e] = feed "u"
  %2: f32[e/rows, b] = all_gather %0 e over cols
  %3: f32[e, b] = all_gather %2 e over rows
  %4: f32[b] = contract %3, %1 reduced(e)
  fetch %4 tensor "s"
}
)");
  lowering::gather_reduce(module.programs[0], module.dims, module.mesh);
  check_same(module, R"(program run {
  %0: f32[e/rows+cols, b] = feed "z"
  %1: f32[e] = feed "u"
  %2: f32[e/rows] = shard %1 e over rows
  %3: f32[e/rows+cols] = shard %2 e over cols
  %4: f32[b] partial(rows+cols) = contract %0, %3 reduced(e)
  %5: f32[b] = all_reduce %4 sum along(rows+cols)
  fetch %5 tensor "s"
}
)");
}

TEST_CASE("a gather stays where its shard is no larger than the sum, or something else needs it") {
  for (const char* body : {R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[a, b] = all_gather %0 a over rows
  %2: f32[b] = reduce %1 sum reduced(a)
  fetch %1 tensor "whole"
  fetch %2 tensor "s"
}
)",
                           R"(program run {
  %0: f32[two/rows, b] = feed "t"
  %1: f32[two, b] = all_gather %0 two over rows
  %2: f32[b] = reduce %1 max reduced(two)
  fetch %2 tensor "s"
}
)",
                           R"(program run {
  %0: f32[a/rows, b] = feed "x"
  %1: f32[a, b] = all_gather %0 a over rows
  %2: f32[a] = reduce %1 sum reduced(b)
  fetch %2 tensor "s"
}
)"}) {
    Module module = parsed(body);
    lowering::gather_reduce(module.programs[0], module.dims, module.mesh);
    check_same(module, body);
  }
}
