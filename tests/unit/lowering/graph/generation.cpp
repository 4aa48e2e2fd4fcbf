// Generation: the incremental programs against the model's own evaluation, and what is not causal.
#include <catch2/catch.hpp>

#include "backends/execute/simulator.h"
#include "generation_lab.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/state_text.h"

namespace lowering_graph_generation_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

/// A decoder-only model of one layer; `mask`, `extra` (before attention) and sizes vary.
std::string small_model(const std::string& mask, const std::string& extra = "") {
  return R"(
dim batch = 4, length = 16, memory = length, vocab = 12, d = 8, heads = 2, d_head = 4
data text = tokens("none.bin")
input tok[batch, length]: int from text.window
param wte[vocab, d] ~ normal(1)
param wpe[length, d] ~ normal(1)
param wq, wk, wv, wo [d, heads, d_head] ~ normal(0.7)
x = wte[vocab = tok] + wpe
)" + extra +
         R"(
m = x[length -> memory]
q = einsum(x, wq over d)
k = einsum(m, wk over d)
v = einsum(m, wv over d)
s = einsum(q, k over d_head)
)" + mask +
         R"(
o = einsum(a, v over memory)
y = x + einsum(o, wo over heads, d_head)
logits[batch, length, vocab] = einsum(tanh(y), wte over d)
generate logits from tok over length
)";
}

const char* const softmax_mask =
    "a = softmax(where(index(length) >= index(memory), s, -1e9) over memory)";

std::string why(const std::string& text) {
  const Model model = generation_model(text);
  const auto obstacle = lowering::find_obstacle(model);
  return obstacle ? obstacle->why : "";
}

}  // namespace

TEST_CASE("a step computes what the whole model does", "[decode]") {
  const Model model = generation_model(small_model(softmax_mask));
  CHECK(difference(model, {}, {4, 8, 16}) < 1e-5);
  CHECK(difference(model, {}, {16}) < 1e-5);
  CHECK(difference(model, {}, {5, 16}) < 1e-5);
}

TEST_CASE("a step computes the same under every layout", "[decode]") {
  const Model model = generation_model(small_model(softmax_mask));
  const Mesh mesh{{{"rows", 2}, {"cols", 2}}};
  using Rules = std::map<std::string, std::string>;
  for (const Rules& rules : {Rules{{"batch", "rows"}}, Rules{{"heads", "cols"}},
                             Rules{{"batch", "rows"}, {"heads", "cols"}}, Rules{{"memory", "cols"}},
                             Rules{{"length", "rows"}, {"memory", "cols"}},
                             Rules{{"d", "rows"}, {"vocab", "cols"}}, Rules{{"length", "rows"}}}) {
    std::string text;
    for (const auto& [dim, axis] : rules) text += dim + ":" + axis + " ";
    INFO(text);
    CHECK(difference(model, place(model, mesh, rules), {4, 8, 16}) < 1e-5);
  }
}

TEST_CASE("windows that reach back are steps too", "[decode]") {
  const Mesh mesh{{{"rows", 2}}};
  for (const char* extra :
       {"x = x + x[length = index(length) - 1]", "x = x + x[length = index(length) - 2 else 0.5]",
        "dim near = 3\nx = sum(x[length = index(length) + index(near) - 2] * "
        "f32(index(near) + 1) over near)"}) {
    INFO(extra);
    const Model model = generation_model(small_model(softmax_mask, extra));
    CHECK(why(small_model(softmax_mask, extra)) == "");
    CHECK(difference(model, {}, {4, 8, 16}) < 1e-5);
    CHECK(difference(model, place(model, mesh, {{"length", "rows"}}), {4, 8, 16}) < 1e-5);
  }
  CHECK(why(small_model(softmax_mask, "x = x + x[length = index(length) + 1]")) ==
        "it looks ahead along `length`");
}

TEST_CASE("running sums carry what they have summed", "[decode]") {
  const Mesh mesh{{{"rows", 2}}};
  for (const char* extra :
       {"x = x + 0.1 * cumsum(x over length)", "x = x + cumsum(x, exclusive=true over length)",
        "x = x + f32(cumsum(tok over length)) / 100",
        "x = x + cumsum(cumsum(x over length) / 4 over length) / f32(1 + index(length))",
        "z = cumsum(x[length -> memory] over memory)\nx = x + sum(z * f32(index(memory) == "
        "index(length)) over memory)",
        "z = einsum(x, x[length -> memory] over d) * f32(index(memory) <= index(length))\nx = x + "
        "0.01 * sum(cumsum(z over memory) * f32(index(memory) <= index(length)) over memory)"}) {
    INFO(extra);
    const Model model = generation_model(small_model(softmax_mask, extra));
    CHECK(why(small_model(softmax_mask, extra)) == "");
    CHECK(difference(model, {}, {4, 8, 16}) < 1e-5);
    CHECK(difference(model, place(model, mesh, {{"length", "rows"}}), {4, 8, 16}) < 1e-5);
    CHECK(difference(model, place(model, mesh, {{"batch", "rows"}}), {16}) < 1e-5);
  }
  CHECK(why(small_model(softmax_mask, "x = x + cumsum(x, reverse=true over length)")) ==
        "it needs all of `length` at once");
}

namespace {

/// What a beam search of width 4 finds after a prompt.
std::vector<runtime::NewText> searched(const Model& model, const Assignment& assignment,
                                       const lowering::GenerationRequest& request) {
  const Module module = generation_module(model, assignment, request);
  const runtime::GenerationPlan plan = plan_of(model, module, request);
  backends::Simulator engine(module, {1, true});
  std::vector<runtime::Fetched> none;
  engine.run("init", {}, none);
  runtime::Decoder decoder(engine, plan);
  runtime::GenerationTask task;
  task.prompts = {{1, 2, 3}};
  task.tokens = 9;
  task.beam.emplace();
  const auto result = runtime::generate(decoder, plan, task);
  REQUIRE(result);
  REQUIRE(engine.replica_error() == "");
  return result->texts[0];
}

}  // namespace

TEST_CASE("texts of a beam carry the sums of the texts that they go on from", "[decode]") {
  const Mesh mesh{{{"rows", 2}}};
  for (const char* extra :
       {"x = x + cumsum(x over length)", "x = x + cumsum(x, exclusive=true over length)",
        "x = x + f32(cumsum(tok over length)) / 10",
        "z = cumsum(x[length -> memory] over memory)\nx = x + sum(z * f32(index(memory) == "
        "index(length)) over memory)"}) {
    INFO(extra);
    const Model model = generation_model(small_model(softmax_mask, extra));
    // The whole model again for every id of every text: nothing is carried.
    const auto whole = searched(model, {}, {false, false, {16}});
    REQUIRE(whole.size() == 4);
    for (const Assignment& assignment : {Assignment{}, place(model, mesh, {{"batch", "rows"}}),
                                         place(model, mesh, {{"length", "rows"}})}) {
      const auto carried = searched(model, assignment, {true, true, {4, 8, 16}});
      REQUIRE(carried.size() == whole.size());
      for (std::size_t i = 0; i < whole.size(); ++i) {
        CHECK(carried[i].ids == whole[i].ids);
        CHECK(carried[i].score == Approx(whole[i].score).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("masks in other words are causal too", "[decode]") {
  for (const char* mask : {
           "a = softmax(where(index(memory) <= index(length), s, -1e9) over memory)",
           "a = softmax(where(not (index(memory) > index(length)), s, -1e9) over memory)",
           "a = softmax(where(index(length) - index(memory) >= 0, s, -30000) over memory)",
           "a = softmax(s + where(index(memory) > index(length), -1e9, 0) over memory)",
           "a = softmax(where(index(length) >= index(memory) and index(length) < index(memory) + "
           "3, "
           "s, -1e9) over memory)",
           "see = index(length) >= index(memory)\na = where(see, s, 0)",
           "a = s * f32(index(length) >= index(memory))",
           "e = where(index(length) >= index(memory), exp(s / 16), 0)\na = e / sum(e over memory)",
           "z = tok[length -> memory] != 3 and index(length) >= index(memory) or "
           "index(length) == index(memory)\na = softmax(where(z, s, -1e9) over memory)",
       }) {
    INFO(mask);
    const std::string text = small_model(mask);
    CHECK(why(text) == "");
    CHECK(difference(generation_model(text), {}, {4, 8, 16}) < 1e-5);
  }
}

TEST_CASE("what is not causal says why", "[decode]") {
  const std::string ahead =
      "it joins positions along `memory` that may be later than that along `length`: no mask says "
      "that index(length) >= index(memory)";
  for (const char* mask : {
           "a = softmax(s over memory)",
           "a = softmax(where(index(length) + 1 >= index(memory), s, -1e9) over memory)",
           "a = softmax(where(index(length) <= index(memory), s, -1e9) over memory)",
           "a = softmax(where(index(length) >= index(memory), s, -10) over memory)",
           "a = softmax(where(index(length) >= index(memory) or index(memory) < 2, s, -1e9) over "
           "memory)",
           "a = where(index(length) >= index(memory), s, 1)",
       }) {
    INFO(mask);
    CHECK(why(small_model(mask)) == ahead);
  }
  CHECK(
      why(small_model("a = softmax(where(index(length) >= index(memory), s, -1e9) over length)")) ==
      "it joins all positions along `length`");
  CHECK(why(small_model(softmax_mask, "x = x - mean(x over length)")) ==
        "it joins all positions along `length`");
  CHECK(why(small_model(softmax_mask, "x = x + sum(x[length -> memory] over memory)")) ==
        "it joins all positions along `memory`, the later ones too");
}

TEST_CASE("a model that is not causal is computed in full", "[decode]") {
  const Model model =
      generation_model(small_model(softmax_mask, "x = x - 0.1 * max(x over length)"));
  REQUIRE(lowering::find_obstacle(model));
  lowering::GenerationRequest request{false, false, {16}};
  const Module module = generation_module(model, {}, request);
  CHECK(module.find("prefill_16"));
  CHECK_FALSE(module.find("step_16"));
}

TEST_CASE("keys and values are kept, and not what they are made of", "[decode]") {
  const Model model = generation_model(small_model(softmax_mask));
  const Module module = generation_module(model, {}, {true, false, {8, 16}});
  std::vector<std::string> caches;
  for (const ModuleVariable& v : module.variables)
    if (v.kind == Variable::Kind::cache) caches.push_back(v.path);
  CHECK(caches == std::vector<std::string>{"v@8", "k@8", "v@16", "k@16"});
  int puts = 0, copies = 0;
  for (const Instruction& i : module.find("step_8")->instructions) {
    puts += std::holds_alternative<Put>(i.kind);
    copies += std::holds_alternative<Slice>(i.kind) || std::holds_alternative<Pad>(i.kind);
  }
  CHECK(puts == 2);
  CHECK(copies == 0);
}

TEST_CASE("an encoder is computed once", "[decode]") {
  const Model model = generation_model(encoder_decoder());
  CHECK(difference(model, {}, {4, 8}) < 1e-5);
  CHECK(lowering::find_obstacle(model) == std::nullopt);
  const Module module = generation_module(model, {}, {true, false, {4, 8}});
  std::vector<std::string> fixed;
  for (const ModuleVariable& v : module.variables)
    if (v.path.ends_with("@fixed")) fixed.push_back(v.path);
  // The keys and values of the source, and where it is padded: not the encoder's result.
  CHECK(fixed.size() == 3);
  const Program& step = *module.find("step_8");
  for (const Instruction& i : step.instructions)
    for (ValueId id : i.operands) CHECK(step.at(id).name != "enc");
}

TEST_CASE("every shipped model that generates has an incremental program", "[decode]") {
  using Defines = std::vector<std::pair<std::string, std::string>>;
  const Defines small = {{"batch", "2"}, {"length", "16"}};
  const struct {
    const char* name;
    Defines more;
    std::map<std::string, std::string> rules;  // on a mesh of 2 by 2
  } models[] = {
      {"gpt.mtf",
       {{"layers", "2"}, {"d_model", "16"}, {"heads", "2"}, {"vocab", "12"}},
       {{"batch", "rows"}, {"heads", "cols"}, {"d_ff", "cols"}, {"vocab", "cols"}}},
      {"transformer_lm.mtf",
       {{"layers", "2"},
        {"d_model", "16"},
        {"heads", "2"},
        {"d_head", "8"},
        {"d_ff", "32"},
        {"vocab", "12"}},
       {{"batch", "rows"}, {"heads", "cols"}, {"d_ff", "cols"}, {"vocab", "cols"}}},
      {"t5_bias.mtf", {{"d_model", "16"}, {"heads", "2"}}, {{"memory", "cols"}, {"batch", "rows"}}},
      {"grouped_queries.mtf",
       {{"d_model", "16"}, {"heads", "2"}, {"queries", "2"}},
       {{"heads", "cols"}, {"batch", "rows"}}},
      {"llama.mtf",
       {{"d_model", "16"}, {"heads", "4"}, {"kv_heads", "2"}, {"d_ff", "32"}},
       {{"batch", "rows"}, {"kv_heads", "cols"}, {"d_ff", "cols"}, {"vocab", "cols"}}},
      {"llama.mtf",
       {{"d_model", "16"}, {"heads", "4"}, {"kv_heads", "1"}, {"d_ff", "32"}},
       {{"length", "rows"}, {"memory", "cols"}}},
      {"distillation.mtf", {{"deep", "1"}}, {{"length", "rows"}, {"memory", "cols"}}},
  };
  const Mesh mesh{{{"rows", 2}, {"cols", 2}}};
  for (const auto& [name, more, rules] : models) {
    INFO(name);
    Defines defines = small;
    defines.insert(defines.end(), more.begin(), more.end());
    const Model model = generation_model(shipped_model(name), defines);
    CHECK(lowering::find_obstacle(model) == std::nullopt);
    CHECK(difference(model, {}, {4, 8, 16}) < 1e-5);
    CHECK(difference(model, place(model, mesh, rules), {4, 16}) < 1e-5);
  }
}

TEST_CASE("segments and windows of the library are causal, a prefix is not", "[decode]") {
  const std::string uses = "use \"transformer.mtf\"\n";
  const auto masked = [&](const std::string& see) {
    return uses + small_model("a = softmax(where(" + see + ", s, -1e9) over memory)",
                              "input seg[batch, length]: int from text.window_next\n");
  };
  const std::string causal = "causal_mask(over length -> memory)";
  for (const std::string& see : {causal, std::string("window_mask(3 over length -> memory)"),
                                 causal + " and (seg == seg[length -> memory])"}) {
    INFO(see);
    CHECK(why(masked(see)) == "");
    CHECK(difference(generation_model(masked(see)), {}, {4, 8, 16}) < 1e-5);
  }
  CHECK(why(masked("prefix_mask(4 over length -> memory)")) != "");
  CHECK(why(masked("segment_mask(seg over length -> memory)")) != "");
}

TEST_CASE("a module for generation can be read back from its text", "[decode]") {
  const Model model = generation_model(small_model(softmax_mask));
  const Mesh mesh{{{"rows", 2}}};
  const Module module =
      generation_module(model, place(model, mesh, {{"memory", "rows"}}), {true, true, {4, 16}});
  const std::string text = print(module);
  std::string error;
  const auto again = parse_module(text, error);
  INFO(error);
  REQUIRE(again);
  CHECK(print(*again) == text);
  CHECK(verify(*again) == "");
}

TEST_CASE("the rewrite in words: a running example before and after", "[decode]") {
  const Model model = generation_model(R"(
dim batch = 2, length = 128, memory = length, vocab = 4
data text = tokens("none.bin")
input tok[batch, length]: int from text.window
param w[vocab] ~ normal(1)
param bias[length] ~ normal(1)
x = f32(tok)
m = (2 * x)[length -> memory]
see = f32(index(length) >= index(memory))
y = einsum(see, tanh(m) over memory) + bias
logits[batch, length, vocab] = y * w
generate logits from tok over length
)");
  std::string after;
  lowering::Request request;
  request.generation = lowering::GenerationRequest{true, false, {64, 128}};
  lowering::State state = lowering::start(model, {}, request);
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, state);
    if (std::string(pass.name) == "share-operations") after = lowering::print(state, pass);
  }
  const auto begin = after.find("graph step_64");
  REQUIRE(begin != after.npos);
  std::string step = after.substr(begin, after.find("\n}", begin) - begin);
  // Places in the source are not what this is about.
  for (std::size_t at = step.find("  @ "); at != step.npos; at = step.find("  @ "))
    step.erase(at, step.find('\n', at) - at);
  // The rename stands behind tanh: tanh(m) is kept, not x.
  CHECK(step == R"(graph step_64 {
  %0: int[batch=2, length~2=1] = input name="generate.tokens" dtype=int dims=[batch, length~2]
  %1.x: f32[batch=2, length~2=1] = cast %0 dtype=f32
  %2: f32[] = constant value=2.0 dtype=f32 dims=[]
  %3: f32[batch=2, length~2=1] = mul %2, %1.x
  %4.m: f32[batch=2, memory~2=1] = view %3 groups=[length~2 -> memory~2]
  %5: f32[batch=2, memory~2=1] = tanh %4.m
  %6: int[] = position
  %7: int[length~2=1] = broadcast %6 dims=[length~2]
  %8: int[memory~3=64] = index dim=[memory~3]
  %9: bool[length~2=1, memory~3=64] = ge %7, %8
  %10.see: f32[length~2=1, memory~3=64] = cast %9 dtype=f32
  %11: f32[batch=2, memory~3=64] = read variable="value@64" dtype=f32 dims=[batch, memory~3]
  %12: f32[batch=2, memory~3=64] = put %11, %5, %6 dim=[memory~3] entry=[memory~2]
  %13: f32[length~2=1, batch=2] = contract %10.see, %12 to=[length~2, batch]
  %14.bias: f32[length=128] = read variable="bias" dtype=f32 dims=[length]
  %15: f32[length~2=1] = gather %14.bias, %7 dims=[length] fill=0.0
  %16.y: f32[length~2=1, batch=2] = add %13, %15
  %17.w: f32[vocab=4] = read variable="w" dtype=f32 dims=[vocab]
  %18: f32[length~2=1, batch=2, vocab=4] = mul %16.y, %17.w
  %19.logits: f32[batch=2, length~2=1, vocab=4] = broadcast %18 dims=[batch, length~2, vocab]
  variable "value@64" = %12
  tensor "logits" = %19.logits)");
}

TEST_CASE("texts go on from others, under every layout", "[decode]") {
  const Model model = generation_model(small_model(softmax_mask));
  const Mesh mesh{{{"rows", 2}, {"cols", 2}}};
  using Rules = std::map<std::string, std::string>;
  for (const Rules& rules : {Rules{}, Rules{{"batch", "rows"}}, Rules{{"memory", "cols"}},
                             Rules{{"batch", "rows"}, {"memory", "cols"}},
                             Rules{{"batch", "rows"}, {"heads", "cols"}}}) {
    const lowering::GenerationRequest request{true, true, {4, 16}};
    const Module module = generation_module(model, place(model, mesh, rules), request);
    const runtime::GenerationPlan plan = plan_of(model, module, request);
    backends::Simulator engine(module, {1, true}), other(module, {1, false});
    std::vector<runtime::Fetched> fetched;
    engine.run("init", {}, fetched);
    other.run("init", {}, fetched);
    runtime::Decoder moved(engine, plan), direct(other, plan);
    moved.read({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 0}});
    moved.reorder({2, 0, 0, 3});
    moved.append({1, 2, 3, 4});
    moved.append({5, 6, 7, 8});
    moved.reorder({1, 1, 3, 0});
    moved.append({9, 10, 11, 0});
    REQUIRE(engine.replica_error() == "");
    direct.read(
        {{1, 2, 3, 2, 6, 9}, {1, 2, 3, 2, 6, 10}, {10, 11, 0, 4, 8, 11}, {7, 8, 9, 1, 5, 0}});
    for (std::size_t row = 0; row < 4; ++row) {
      CHECK(moved.text(row) == direct.text(row));
      for (std::size_t v = 0; v < 12; ++v)
        CHECK(moved.logits(row)[v] == Approx(direct.logits(row)[v]).margin(1e-3));
    }
  }
}

}  // namespace lowering_graph_generation_test
