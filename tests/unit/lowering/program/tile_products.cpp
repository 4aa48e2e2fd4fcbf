// Attention tile by tile computes what it computes with its scores in memory, in less memory, and
// leaves out what a causal mask hides only where that is certain.
#include <catch2/catch.hpp>

#include <algorithm>

#include "ir/text.h"
#include "ir/verify.h"
#include "unit/lowering/lab.h"

namespace lowering_program_tile_products_test {

using namespace lowering_lab;

namespace {

/// Attention of `length` positions to `memory` others: its mask, and what is done to scores and
/// weights.
struct Case {
  std::string mask = "index(length) >= index(memory)";
  std::string score = "s";
  std::string low = "-1e9";
  std::string weight = "a";
  std::string sizes = "length = 200, memory = 200";
  std::string precision = "f32";
  std::string heads = "heads";  // of keys and values
  std::string steps = "2";
  std::string frozen = "none";  // a glob of parameters
};

std::string text_of(const Case& c) {
  const std::string memory = c.sizes == Case{}.sizes
                                 ? "m = x[length -> memory]\n"
                                 : "input m[batch, memory, d] from gaussian(seed=2)\n";
  return "dim batch = 8, heads = 2, d = 8, e = 8, " + c.sizes +
         "\n"
         "input x[batch, length, d] from gaussian(seed=1)\n" +
         memory +
         "param wq[d, heads, e] ~ normal(1)\n"
         "param wk, wv [d" +
         (c.heads.empty() ? "" : ", " + c.heads) +
         ", e] ~ normal(1)\n"
         "param bias[heads, length, memory] ~ normal(1)\n"
         "q = einsum(x, wq over d)\n"
         "k = einsum(m, wk over d)\n"
         "v = einsum(m, wv over d)\n"
         "s = einsum(q, k over e) / 2.8\n"
         "a = softmax(where(" +
         c.mask + ", " + c.score + ", " + c.low +
         ") over memory)\n"
         "u[dims(a)] ~ uniform(0, 1)\n"
         "o = einsum(" +
         c.weight +
         ", v over memory)\n"
         "loss mean(o^2) + mean(bias^2)\n"
         "train { optimizer = sgd(lr=0.5) steps = " +
         c.steps + " precision = " + c.precision + "\n" +
         (c.frozen == "none" ? "" : "params \"" + c.frozen + "\" { frozen = true }\n") + "}\n";
}

/// Of the training program.
std::vector<Tiled> tiled_of(const Model& model, const Assignment& assignment) {
  const Module module = lowering::lower(model, assignment, {});
  CHECK(verify(module).empty());
  std::string error;
  const auto again = parse_module(print(module), error);
  REQUIRE((again && print(*again) == print(module)));
  std::vector<Tiled> found;
  for (const Instruction& at : module.find("train")->instructions)
    if (const auto* tiled = std::get_if<Tiled>(&at.kind)) found.push_back(*tiled);
  return found;
}

/// With and without tiles on the mesh; the tiled instructions.
std::vector<Tiled> compare(const Case& c, const Mesh& mesh = {}, const Rules& rules = {},
                           double tolerance = 1e-5) {
  const Model model = model_of(text_of(c));
  const Assignment tiles = place(model, mesh, rules);
  Assignment stored = tiles;
  stored.options.store_scores = true;
  CHECK(tiled_of(model, stored).empty());
  CHECK(difference(train(model, tiles, false), train(model, stored, false)) <= tolerance);
  return tiled_of(model, tiles);
}

std::size_t causal(const std::vector<Tiled>& all) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const Tiled& t) { return !t.causal.empty(); }));
}

/// Layers of attention, each computed again.
std::string layers_text(const std::string& word, const std::string& precision = "f32") {
  return "use \"nn.mtf\"\n"
         "dim batch = 8, heads = 2, d = 8, e = 8, d_ff = 32, length = 200, memory = length\n"
         "input x[batch, length, d] from gaussian(seed=1)\n"
         "y = x\n"
         "repeat@layer 3 { " +
         word +
         " {\n"
         "  param wq, wk, wv, wo [d, heads, e] ~ normal(0.3)\n"
         "  m = y[length -> memory]\n"
         "  s = einsum(einsum(y, wq over d), einsum(m, wk over d) over e)\n"
         "  a = softmax(where(index(length) >= index(memory), s, -1e9) over memory)\n"
         "  y = y + einsum(einsum(a, einsum(m, wv over d) over memory), wo over heads, e)\n"
         "  h = dense@up(y over d -> d_ff)\n"
         "  y = y + dense@down(gelu(h) over d_ff -> d)\n"
         "} }\n"
         "loss mean(y^2)\n"
         "train { optimizer = sgd(lr=0.01) steps = 2 precision = " +
         precision + " }\n";
}

}  // namespace

TEST_CASE("causal attention runs tile by tile and leaves out what its mask hides") {
  const std::vector<Tiled> tiled = compare({});
  REQUIRE(tiled.size() == 2);  // forward and backward
  CHECK(causal(tiled) == 2);
  CHECK(tiled[0].steps.size() == 7);
  const Model model = model_of(text_of({}));
  const Assignment tiles = place(model, {}, {});
  Assignment stored = tiles;
  stored.options.store_scores = true;
  CHECK(arena_bytes(model, tiles) * 3 < arena_bytes(model, stored));
}

TEST_CASE("other ways to write a causal mask are as good, others are not taken for one") {
  CHECK(causal(compare({.mask = "index(memory) <= index(length)"})) == 2);
  for (const char* mask :
       {"true", "index(length) > index(memory)", "index(length) <= index(memory)",
        "index(length) < index(memory)", "index(length) >= index(memory) and index(memory) != 3",
        "index(length) >= index(memory) or index(memory) == 150"}) {
    INFO(mask);
    const std::vector<Tiled> tiled = compare({.mask = mask});
    CHECK(tiled.size() == 2);
    CHECK(causal(tiled) == 0);
  }
}

TEST_CASE("scores that are low themselves look behind the mask") {
  const std::vector<Tiled> tiled = compare({.score = "s - 1e9"}, {}, {}, 1e-4);
  CHECK(tiled.size() == 2);
  CHECK(causal(tiled) == 0);
}

TEST_CASE("a mask that visible scores may lie below is none") {
  // Scores near -3e4: what -1e4 masks is the largest of its row.
  const std::vector<Tiled> tiled =
      compare({.score = "s - 9e3 - 9e3 - 9e3", .low = "-1e4"}, {}, {}, 1e-4);
  CHECK(tiled.size() == 2);
  CHECK(causal(tiled) == 0);
}

TEST_CASE("rows that a second mask hides whole look at all columns, tiled or not") {
  // A row without a column has equal weights everywhere: also behind the diagonal.
  const std::vector<Tiled> tiled = compare({.score = "where(index(length) == 7, -1e9, s)"});
  CHECK(tiled.size() == 2);
  CHECK(causal(tiled) == 0);
}

TEST_CASE("dropout of weights is in the tiles") {
  const std::vector<Tiled> tiled = compare({.weight = "where(u >= 0.2, a / 0.8, 0)"});
  REQUIRE(tiled.size() == 2);
  CHECK(causal(tiled) == 2);
  for (const Tiled& one : tiled) {
    std::size_t samples = 0;
    for (const Tiled::Step& step : one.steps)
      if (const auto* map = std::get_if<Map>(&step.kind)) samples += map->random_leaves.size();
    CHECK(samples > 0);
  }
}

TEST_CASE("a bias of scores is in the tiles; its gradient is summed from stored ones") {
  CHECK(!compare({.score = "s + bias"}).empty());
}

TEST_CASE("queries and keys of different lengths") {
  CHECK(causal(compare({.sizes = "length = 160, memory = 300"})) == 2);
  CHECK(causal(compare({.sizes = "length = 300, memory = 160"})) == 2);
  CHECK(causal(compare({.sizes = "length = 1100, memory = 90"})) == 2);
}

TEST_CASE("what is frozen is tiled, too") {
  for (const char* frozen : {"wq", "wk", "wv", "w*"}) {
    INFO(frozen);
    CHECK(compare({.frozen = frozen}).size() >= 1);
    const Model model = model_of(text_of({.frozen = frozen}));
    const Assignment tiles = place(model, {}, {});
    Assignment stored = tiles;
    stored.options.store_scores = true;
    CHECK(arena_bytes(model, tiles) * 2 < arena_bytes(model, stored));
  }
}

TEST_CASE("heads that share keys and values are in one tile") {
  const std::vector<Tiled> tiled = compare({.heads = ""});
  REQUIRE(tiled.size() == 2);
  CHECK(tiled[1].dims.size() == 1);  // the batch
}

TEST_CASE("tiles of every element type") {
  CHECK(compare({.precision = "f64"}, {}, {}, 1e-13).size() == 2);
  const std::string longer = "length = 300, memory = 300";
  // Sums over rows of 16-bit numbers are not made block by block.
  const std::vector<Tiled> bf16 =
      compare({.sizes = longer, .precision = "bf16", .steps = "1"}, {}, {}, 2e-3);
  REQUIRE(bf16.size() == 2);
  // Rounded as if they were stored, they are nearly the same.
  CHECK(!bf16[0].causal.empty());
  CHECK(bf16[1].causal.empty());
  CHECK(compare({.sizes = longer, .precision = "f16", .steps = "1"}, {}, {}, 3e-4).size() == 2);
}

TEST_CASE("tiles under layouts") {
  const Mesh mesh{{{"x", 2}}};
  CHECK(causal(compare({.sizes = "length = 400, memory = 400"}, mesh, {{"batch", "x"}})) == 2);
  CHECK(causal(compare({.sizes = "length = 400, memory = 400"}, mesh, {{"heads", "x"}})) == 2);
  // Which columns a processor's rows need depends on the processor.
  const std::vector<Tiled> rows =
      compare({.sizes = "length = 400, memory = 400"}, mesh, {{"length", "x"}});
  CHECK(rows.size() == 2);
  CHECK(causal(rows) == 0);
  // The softmax needs other processors in between; what the gradients of values need does not.
  const std::vector<Tiled> columns =
      compare({.sizes = "length = 400, memory = 400"}, mesh, {{"memory", "x"}});
  CHECK(columns.size() == 1);
  CHECK(causal(columns) == 0);
}

TEST_CASE("layers that are computed again have tiles of their own, and gradients as without") {
  const auto numbers = [](const std::string& word) {
    const Model model = model_of(layers_text(word, "f64"));
    return train(model, place(model, {}, {}));
  };
  CHECK(difference(numbers("if true"), numbers("recompute")) < 1e-12);
  const Model kept = model_of(layers_text("if true")), again = model_of(layers_text("recompute"));
  const std::vector<Tiled> few = tiled_of(kept, place(kept, {}, {})),
                           more = tiled_of(again, place(again, {}, {}));
  CHECK(few.size() == 2 * 3);
  CHECK(more.size() == 3 * 3);
  CHECK(causal(few) == 2 * 3);
  CHECK(causal(more) == 3 * 3);
  const Module module = lowering::lower(again, place(again, {}, {}), {});
  const Program& program = *module.find("train");
  for (const Instruction& at : program.instructions)
    for (const ValueId result : at.results) {
      const DimList& dims = program.at(result).type.tensor.dims;
      const bool scores = dims.size() == 4 && std::count_if(dims.begin(), dims.end(), [&](DimId d) {
                                                return module.dims.size(d) == 200;
                                              }) == 2;
      CHECK(!scores);
    }
}

}  // namespace lowering_program_tile_products_test
