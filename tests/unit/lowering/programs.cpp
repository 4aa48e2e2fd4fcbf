// What lowering promises: the paper's counts, programs that do not grow with the mesh, and values
// that stay partial.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "backends/execute/simulator.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lab.h"
#include "lowering/pipeline.h"

namespace lowering_programs_test {

using namespace mtfc;
using lowering_lab::model_of;
using lowering_lab::place;

namespace {

std::string shipped(const std::string& name) {
  std::ifstream in(MTFC_SOURCE_DIR "/models/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Moved {
  std::map<std::string, std::int64_t> elements;  // by kind; scalars aside
  std::map<std::string, int> count;
  std::size_t instructions = 0;
};

Moved moved(const Module& module, const std::string& program) {
  Moved result;
  const Program& p = *module.find(program);
  result.instructions = p.instructions.size();
  for (const Instruction& i : p.instructions) {
    if (!is_collective(i.kind)) continue;
    const std::string kind(name(i.kind));
    std::int64_t n = 0;
    for (ValueId id : kind == "all_gather" ? i.results : i.operands) {
      const std::int64_t one = shard_elements(module.dims, module.mesh, p.at(id).type);
      if (one > 1) n += one;
    }
    if (n == 0) continue;
    result.elements[kind] += n;
    ++result.count[kind];
  }
  return result;
}

}  // namespace

TEST_CASE("the two-layer network reduces exactly the elements of the paper") {
  const Model model = model_of(shipped("two_layer.mtf"));
  const std::int64_t b = 64, io = 784, h = 512;
  auto reduced = [&](Mesh mesh, const std::map<std::string, std::string>& rules) {
    const Module module = lowering::lower(model, place(model, std::move(mesh), rules), {});
    REQUIRE(verify(module) == "");
    const Moved m = moved(module, "train");
    CHECK(m.elements.size() == 1);
    return m.elements.at("all_reduce");
  };
  CHECK(reduced({{{"all", 4}}}, {{"batch", "all"}}) == 2 * io * h + h);
  CHECK(reduced({{{"all", 4}}}, {{"hidden", "all"}}) == b * io);
  const std::int64_t r = 2, c = 4, p = 2;
  CHECK(reduced({{{"rows", r}, {"cols", c}}}, {{"batch", "rows"}, {"hidden", "cols"}}) ==
        (b / r) * io + 2 * io * h / c + h / c);
  CHECK(reduced({{{"rows", r}, {"cols", c}, {"planes", p}}},
                {{"batch", "rows"}, {"hidden", "cols"}, {"io", "planes"}}) ==
        2 * (b / r) * (h / c) + (b / r) * (io / p) + 2 * (io / p) * (h / c) + h / c);
}

TEST_CASE("where x is a parameter its gradient is reduced too") {
  std::string text = shipped("two_layer.mtf");
  const std::string input = "input x[batch, io] from gaussian(seed=7)";
  REQUIRE(text.find(input) != std::string::npos);
  text.replace(text.find(input), input.size(), "param x[batch, io] ~ normal(1)");
  const Model model = model_of(text);
  const Module module =
      lowering::lower(model, place(model, {{{"all", 4}}}, {{"hidden", "all"}}), {});
  CHECK(moved(module, "train").elements.at("all_reduce") == 2 * 64 * 784);
}

TEST_CASE("a program does not grow with the mesh") {
  const Model model = model_of(shipped("two_layer.mtf"));
  auto instructions = [&](std::int64_t rows, std::int64_t cols) {
    const Module module = lowering::lower(
        model,
        place(model, {{{"rows", rows}, {"cols", cols}}}, {{"batch", "rows"}, {"hidden", "cols"}}),
        {});
    return moved(module, "train").instructions;
  };
  CHECK(instructions(2, 2) == instructions(16, 32));
}

TEST_CASE("gradients of a parameter used twice are added before they are reduced") {
  const Model model = model_of(R"(
dim batch = 8, a = 4
input x[batch, a] from gaussian(seed=1)
param w[a] ~ normal(1)
y = x * w
z = tanh(x) * w
loss mean(y^2) + mean(z^2)
train { optimizer = sgd(lr=0.1) steps = 1 }
)");
  const Module module =
      lowering::lower(model, place(model, {{{"rows", 4}}}, {{"batch", "rows"}}), {});
  const Moved m = moved(module, "train");
  CHECK(m.count.at("all_reduce") == 1);
  CHECK(m.elements.at("all_reduce") == 4);
}

TEST_CASE("a rename moves data as cheaply as it can") {
  const Model model = model_of(R"(
dim a = 8, b = 8, c = 8
input x[a, b] from gaussian(seed=1)
y = tanh(x)[a -> c]
)");
  auto kinds = [&](const std::map<std::string, std::string>& rules) {
    lowering::Request request;
    request.tensors = {"y"};
    const Module module =
        lowering::lower(model, place(model, {{{"rows", 2}, {"cols", 2}}}, rules), request);
    REQUIRE(verify(module) == "");
    return moved(module, "run").count;
  };
  using Kinds = std::map<std::string, int>;
  CHECK(kinds({}) == Kinds{});
  CHECK(kinds({{"a", "rows"}}) == Kinds{{"all_gather", 1}});
  CHECK(kinds({{"c", "rows"}}) == Kinds{});
  CHECK(kinds({{"a", "rows"}, {"c", "rows"}}) == Kinds{});
  CHECK(kinds({{"a", "rows"}, {"c", "cols"}}) == Kinds{{"permute", 1}});
}

TEST_CASE("two renames in one view are one all-to-all") {
  const Model model = model_of(R"(
dim a = 8, b = 8, a2 = a, b2 = b
input x[a, b2] from gaussian(seed=1)
y = tanh(x)[a -> a2, b2 -> b]
)");
  lowering::Request request;
  request.tensors = {"y"};
  const Module module = lowering::lower(
      model, place(model, {{{"rows", 2}}}, {{"a", "rows"}, {"b", "rows"}}), request);
  CHECK(moved(module, "run").count == std::map<std::string, int>{{"all_to_all", 1}});
}

TEST_CASE("a sum that is only wanted split is a reduce-scatter") {
  const Model model = model_of(R"(
dim a = 8, k = 8, b = a
input x[a, k] from gaussian(seed=1)
y = sum(x over k)[a -> b]
)");
  lowering::Request request;
  request.tensors = {"y"};
  const Module module = lowering::lower(
      model, place(model, {{{"rows", 2}}}, {{"k", "rows"}, {"b", "rows"}}), request);
  CHECK(moved(module, "run").count == std::map<std::string, int>{{"reduce_scatter", 1}});
}

TEST_CASE("a Transformer layer with heads and d_ff split needs two sums each way") {
  const std::string text = R"(
use "nn.mtf"
dim batch = 4, length = 8, layers = 3, d_model = 16, heads = 4, d_head = 4, d_ff = 32, vocab = 12
dim memory = length
input tok[batch, length]: int from gaussian_labels(seed=1, classes=vocab)
param wte[vocab, d_model] ~ normal(0.02)
causal[length, memory] = index(length) >= index(memory)
x = wte[vocab = tok]
repeat layers {
  h = layer_norm@ln1(x over d_model)
  x = x + attention@attn(h, h[length -> memory], causal, kv=memory, heads=heads, d_head=d_head over d_model)
  x = x + ffn@ffn(layer_norm@ln2(x over d_model), hidden=d_ff over d_model)
}
loss mean(cross_entropy(einsum(x, wte over d_model), tok over vocab))
train { optimizer = sgd(lr=0.1)  steps = 1 }
)";
  const Model model = model_of(text);
  const Module module = lowering::lower(
      model, place(model, {{{"cols", 2}}}, {{"heads", "cols"}, {"d_ff", "cols"}}), {});
  REQUIRE(verify(module) == "");
  const Moved m = moved(module, "train");
  CHECK(m.count == std::map<std::string, int>{{"all_reduce", 3 * 4}});
  CHECK(m.elements.at("all_reduce") == 3 * 4 * 4 * 8 * 16);
}

TEST_CASE("sums of gradients travel while the backward pass goes on") {
  const Model model = model_of(shipped("two_layer.mtf"));
  const Assignment assignment =
      place(model, {{{"rows", 2}, {"cols", 2}}}, {{"batch", "rows"}, {"hidden", "cols"}});
  const Module module = lowering::lower(model, assignment, {});
  REQUIRE(verify(module) == "");
  std::vector<std::string> order;
  for (const Program& program : module.programs) {
    if (program.name != "train") continue;
    for (const Instruction& at : program.instructions) {
      const Summing* how = summing(at.kind);
      const bool waits = std::holds_alternative<Wait>(at.kind);
      if (waits || (how && how->async)) order.push_back(waits ? "wait" : "begin");
      if (std::holds_alternative<Contract>(at.kind) && at.origin.phase == Phase::backward)
        order.emplace_back("contract");
    }
  }
  // grad.v is started before the product that gives grad.w, and waited for after it.
  const auto begin = std::find(order.begin(), order.end(), "begin");
  const auto product = std::find(begin, order.end(), "contract");
  CHECK(product != order.end());
  CHECK(std::find(begin, product, "wait") == product);
  CHECK(std::count(order.begin(), order.end(), "wait") ==
        std::count(order.begin(), order.end(), "begin"));

  Module broken = module;
  for (Program& program : broken.programs)
    std::erase_if(program.instructions,
                  [](const Instruction& at) { return std::holds_alternative<Wait>(at.kind); });
  CHECK(verify(broken) != "");
  std::string error;
  const auto again = parse_module(print(module), error);
  REQUIRE(again);
  CHECK(print(*again) == print(module));
}

TEST_CASE("the sharded update's sums travel while the backward pass goes on, small ones together") {
  std::string text =
      "use \"nn.mtf\"\ndim batch = 8, a = 256\n"
      "input x[batch, a] from gaussian(seed=1)\nh = x\n";
  for (int i = 0; i < 3; ++i)
    text += "h = relu(dense@d" + std::to_string(i) + "(layer_norm@n" + std::to_string(i) +
            "(h over a) over a -> a))\n";
  const Model model = model_of(text +
                               "loss mean(h ^ 2)\ntrain { optimizer = adam(lr=0.1)  steps = 1  "
                               "update = sharded }");
  const Module module =
      lowering::lower(model, place(model, {{{"rows", 4}}}, {{"batch", "rows"}}), {});
  REQUIRE(verify(module) == "");
  std::vector<std::size_t> async, scattered, gathered;  // operands of each
  for (const Instruction& at : module.find("train")->instructions) {
    if (std::holds_alternative<ReduceScatter>(at.kind)) {
      scattered.push_back(at.operands.size());
      if (summing(at.kind)->async) async.push_back(at.operands.size());
    }
    if (std::holds_alternative<AllGather>(at.kind)) gathered.push_back(at.operands.size());
  }
  // Each matrix by itself. The vectors' bucket is not full, and goes when the update begins.
  CHECK(async == std::vector<std::size_t>{1, 1, 1});
  std::sort(scattered.begin(), scattered.end());
  CHECK(scattered == std::vector<std::size_t>{1, 1, 1, 9});
  std::sort(gathered.begin(), gathered.end());
  CHECK(gathered == std::vector<std::size_t>{1, 1, 1, 9});
}

TEST_CASE("only gradients travel in bf16") {
  const Model model = model_of(shipped("two_layer.mtf"));
  Assignment assignment =
      place(model, {{{"rows", 2}, {"cols", 2}}}, {{"batch", "rows"}, {"hidden", "cols"}});
  assignment.options.compress_gradients = assignment.options.library_reductions = true;
  const Module module = lowering::lower(model, assignment, {});
  REQUIRE(verify(module) == "");
  int narrow = 0, wide = 0;
  for (const Program& program : module.programs)
    for (const Instruction& at : program.instructions) {
      const auto* sum = std::get_if<AllReduce>(&at.kind);
      if (!sum) continue;
      CHECK(sum->how.by_library);
      for (ValueId result : at.results) {
        const ProgramValue& value = program.at(result);
        const bool gradient = value.name.str().rfind("grad.", 0) == 0;
        CHECK((value.type.tensor.dtype == DType::bf16) == gradient);
        ++(gradient ? narrow : wide);
      }
    }
  CHECK(narrow == 3);
  CHECK(wide > 0);
}

TEST_CASE("a dump that was edited says which line is wrong") {
  std::string error;
  CHECK_FALSE(parse_module("mesh rows=2\ndim a = 0 \"a\"\n", error));
  CHECK(error == "line 2: 0 is out of range");
  CHECK_FALSE(parse_module("program p {\n  %0: f32[a] = nothing\n}\n", error));
  CHECK(error == "line 2: no dimension `a`");
  CHECK_FALSE(parse_module("program p {\n", error));
}

}  // namespace lowering_programs_test
