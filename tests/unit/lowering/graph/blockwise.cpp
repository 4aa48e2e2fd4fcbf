// What moves for windows, running sums and ranks along a split dimension: edges, sums, candidates.
#include <catch2/catch.hpp>
#include <map>

#include "ir/verify.h"
#include "lowering/pipeline.h"
#include "unit/lowering/lab.h"

namespace lowering_graph_blockwise_test {

using namespace mtfc;
using lowering_lab::model_of;
using lowering_lab::place;

namespace {

/// Elements that each kind of collective moves for `y`, with `length` over four processors.
std::map<std::string, std::int64_t> moved(const std::string& statement,
                                          std::map<std::string, std::string> rules = {}) {
  const Model model = model_of(R"(
dim batch = 2, length = 64, d = 4, near = 3, half = length / 2, two = 2, k = 2
dim blocks = 8, inner = length / blocks, win = 12, long = length + 1, row = 16, col = 8
input x[batch, length, d] from gaussian(seed=1)
input image[batch, row, col, d] from gaussian(seed=2)
h = tanh(x)
i = tanh(image)
)" + statement);
  if (rules.empty()) rules = {{"length", "a"}, {"half", "a"}, {"blocks", "a"}};
  lowering::Request request;
  request.tensors = {"y"};
  const Module module =
      lowering::lower(model, place(model, {{{"a", 4}, {"b", 2}}}, rules), request);
  REQUIRE(verify(module) == "");
  std::map<std::string, std::int64_t> elements;
  const Program& p = *module.find("run");
  for (const Instruction& at : p.instructions) {
    if (!is_collective(at.kind)) continue;
    const std::string kind(name(at.kind));
    for (ValueId id : kind == "all_gather" ? at.results : at.operands)
      elements[kind] += shard_elements(module.dims, module.mesh, p.at(id).type);
  }
  return elements;
}

using Moves = std::map<std::string, std::int64_t>;
constexpr std::int64_t line = 2 * 4;  // batch, d

}  // namespace

TEST_CASE("windows along a split dimension move the edges of shards") {
  CHECK(moved("y = h[length = index(length) - 1]") == Moves{{"all_gather", 4 * line}});
  CHECK(moved("y = h[length = index(length) + index(near) - 1 else 3]") ==
        Moves{{"all_gather", 4 * 2 * line}});
  CHECK(moved("y = shift(h, -5 over length)") == Moves{{"all_gather", 4 * 5 * line}});
  // Each block of 8 reads 4 places before itself; a processor has two blocks.
  CHECK(moved("y = h[length = inner * index(blocks) + index(win) - 4]") ==
        Moves{{"all_gather", 4 * 4 * line}});
  CHECK(moved("y = max(h[length = 2 * index(half) + index(two)] over two)").empty());
  // Both directions of an image: the corners come with the second one.
  CHECK(moved("y = i[row = index(row) + index(near) - 1, col = index(col) + index(near) - 1]",
              {{"row", "a"}, {"col", "b"}}) ==
        Moves{{"all_gather", 4 * 2 * (8 / 2) * line + 2 * 2 * (16 / 4 + 2) * line}});
}

TEST_CASE("a window that reads far, or elsewhere, gathers its dimension") {
  CHECK(moved("y = h[length = index(length) - 20]") == Moves{{"all_gather", 64 * line}});
  CHECK(moved("y = h[length = 2 * index(near)]") == Moves{{"all_gather", 64 * line}});
  CHECK(moved("y = h[length = length - 1 - index(length)]") == Moves{{"all_gather", 64 * line}});
}

TEST_CASE("running sums along a split dimension exchange the sums of shards") {
  CHECK(moved("y = cumsum(h over length)") == Moves{{"all_gather", 4 * line}});
  CHECK(moved("y = cumsum(h, exclusive=true, reverse=true over length)") ==
        Moves{{"all_gather", 4 * line}});
}

TEST_CASE("ranks along a split dimension exchange candidates") {
  const Moves top = moved("v, y = top_k(h over length -> k)");
  CHECK(top == Moves{{"all_gather", 2 * 4 * 2 * line}});  // values and places
  CHECK(moved("v, y = top_k(h over length -> length)") == Moves{{"all_gather", 64 * line}});
}

TEST_CASE("a view between a flat dimension and its blocks keeps the split without moving") {
  CHECK(moved("y = h[length -> (blocks, inner)]").empty());
  CHECK(moved("y = h[length -> (blocks, inner)][(blocks, inner) -> length]").empty());
  CHECK(moved("y = h[length -> (inner, blocks)]") != Moves{});
}

TEST_CASE("joining along a split dimension gathers it") {
  CHECK(moved("y = pad(h, before=1 over length -> long)") == Moves{{"all_gather", 64 * line}});
  CHECK(moved("y = concat(h, h[length = 0:1 -> one] over length, one -> long)\ndim one = 1") ==
        Moves{{"all_gather", 64 * line}});
}

}  // namespace lowering_graph_blockwise_test
