// What correct models elaborate to: paths, types, views, blocks, both modes.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lab.h"
#include "support/random_key.h"

namespace frontend_elaborate_models_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

Elaborated shipped(const std::string& name, const ElaborateOptions& options = {}) {
  const std::string path = std::string(MTFC_SOURCE_DIR "/models/") + name;
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return Elaborated(text.str(), options, path);
}

const std::string head =
    "use \"nn.mtf\"\n"
    "dim batch = 4, length = 6, memory = length, d = 8, e = 2\n"
    "input x[batch, length, d] from gaussian(seed=1)\n";

}  // namespace

TEST_CASE("the shipped models elaborate in both modes") {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MTFC_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".mtf") continue;
    ++models;
    const std::string name = entry.path().filename().string();
    Elaborated e = shipped(name);
    INFO(name << "\n" << e.said());
    REQUIRE(e.model);
    CHECK(e.codes().empty());
    CHECK(e.model->settings.present);
    CHECK(e.model->init.outputs.size() == e.model->variables.size());
  }
  CHECK(models >= 6);
}

TEST_CASE("a number too large for its type becomes the largest of that type") {
  Elaborated e(
      "dim b = 2\ninput x[b] from gaussian(seed=1)\n"
      "big = x + 1e400\nlow = f16(x) - 1e9\nmade = x * 10 ^ 400\nfar = x[b = 0 else -1e400]\n"
      "k[b]: int = 1\nout = x[b = k else -1e400]\nparam w[b] = 1e400\nloss mean(x * w)\n");
  INFO(e.said());
  REQUIRE(e.model);
  int largest = 0, half = 0;
  for (const Graph* graph : {&e.model->train, &e.model->init})
    for (const Operation& op : graph->ops) {
      if (op.op != "constant") continue;
      const double value = op.attrs.number("value");
      CHECK(std::isfinite(value));
      largest += value == 3.4028234663852886e38;
      half += value == 65504;
    }
  CHECK(largest == 3);
  CHECK(half == 1);
}

TEST_CASE("a shared instance may take what it gave itself") {
  Elaborated e(
      "dim b = 2\ninput x[b] from gaussian(seed=1)\n"
      "block f(x) {\n  param w[b] = 1\n  return x * w\n}\n"
      "instance g = f@s\ny = g(g(g(x)))\nloss mean(y)\n");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.model->variables.size() == 1);
  CHECK(e.variable("s.w"));
}

TEST_CASE("parameters are named by instances and iterations") {
  Elaborated e = shipped("gpt.mtf");
  REQUIRE(e.model);
  CHECK(e.model->variables.size() == 4 + 4 * 12);
  const Variable* wq = e.variable("layers.3.attn.wq");
  REQUIRE(wq);
  CHECK(to_string(e.model->dims, wq->type) == "f32[d_model=128, heads=4, d_head=32]");
  CHECK(e.variable("layers.0.mlp.down.w"));
  CHECK(e.variable("lnf.g"));
  CHECK(e.type("layers.2.attn.s") == "f32[batch=12, length=64, heads=4, memory=64]");
  CHECK(e.type("x") == "f32[batch=12, length=64, d_model=128]");
  CHECK(e.type("layers.1.x") == "f32[batch=12, length=64, d_model=128]");
}

TEST_CASE("the operations of a block know the instance they belong to") {
  Elaborated e = shipped("gpt.mtf");
  REQUIRE(e.model);
  bool found = false;
  for (const Operation& op : e.model->train.ops)
    found = found || (op.op == "softmax" && op.role.block == "layers.3.attn");
  CHECK(found);
}

TEST_CASE("training and evaluation differ where the model says so") {
  Elaborated e = shipped("mnist.mtf");
  REQUIRE(e.model);
  CHECK(e.count("random") == 2);
  for (const Operation& op : e.model->eval.ops) CHECK(op.op != "random");
  REQUIRE(e.model->eval.outputs.size() == 2);
  CHECK(e.model->eval.outputs[1].name == "accuracy");
  CHECK(e.model->train.outputs.size() == 1);
}

TEST_CASE("a dimension on both sides of a layer becomes an alias inside") {
  Elaborated e(head + "y = dense@f(x over d -> d)\nloss mean(y)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(to_string(e.model->dims, e.variable("f.w")->type) == "f32[d'=8, d=8]");
  CHECK(e.type("y") == "f32[batch=4, length=6, d=8]");
}

TEST_CASE("instances with nothing but samples may repeat a name") {
  Elaborated e(head + "y = dropout(dropout(x, 0.1), 0.2)\nloss mean(y)");
  INFO(e.said());
  REQUIRE(e.model);
  std::vector<std::int64_t> keys;
  for (const Operation& op : e.model->train.ops)
    if (op.op == "random") keys.push_back(op.attrs.integer("key"));
  // The outer call stands first in the text.
  CHECK(keys == std::vector<std::int64_t>{static_cast<std::int64_t>(random_key(0, "dropout~1.u")),
                                          static_cast<std::int64_t>(random_key(0, "dropout.u"))});
}

TEST_CASE("a shared instance has one set of parameters") {
  Elaborated e(head +
               "block f(t, dim e over a) {\n  dim one = 1\n"
               "  return dense@l(t over a -> e)[e -> (e', one)][one = 0]\n}\n"
               "instance g = f@g\n"
               "loss mean(g(x over d)) + mean(g(x * 2 over d))");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.model->variables.size() == 2);
  CHECK(e.variable("g.l.w"));
}

TEST_CASE("view items act at once") {
  Elaborated e(head +
               "s = x[batch -> batch', length -> memory]\n"
               "w = s[batch' -> batch, d -> (e, e', e'')]\n"
               "m = w[(e, e', e'') -> d]\n"
               "swap = x[length -> length', d = 0][length' -> length]\n"
               "dim four = 4\nc = x[d = 2:6 -> four, length = 1]\nloss mean(m) + mean(swap)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("s") == "f32[batch'=4, memory=6, d=8]");
  CHECK(e.type("w") == "f32[batch=4, memory=6, e=2, e'=2, e''=2]");
  CHECK(e.type("m") == "f32[batch=4, memory=6, d=8]");
  CHECK(e.type("c") == "f32[batch=4, four=4]");
}

TEST_CASE("a view may swap names, also with an indexed dimension") {
  Elaborated e(
      "dim a = 3, b = 3, c = 2\ninput x[a, b, c] from gaussian(seed=1)\n"
      "s = x[a -> b, b -> a]\n"
      "t = x[a = 1, b -> a]\n"
      "u = x[c = int(x[c = 0])]");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("s") == "f32[b=3, a=3, c=2]");
  CHECK(e.type("t") == "f32[a=3, c=2]");
  CHECK(e.type("u") == "f32[a=3, b=3]");
}

TEST_CASE("numbers take the type of what they meet") {
  Elaborated e(head +
               "input k[batch]: int from gaussian_labels(seed=2, classes=3)\n"
               "a = k + 1\nb = x * 2\nc = f16(x) - 1e9\nh[batch] = 0\ni[batch]: int = 0\n"
               "f = where(step >= 10, 0.5, 0)\ng = where(k > 0, 1, 0)\n"
               "n = sum(k > 0)\nm = mean(k > 0)\no = one_hot(k -> e)\n");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("a") == "int[batch=4]");
  CHECK(e.type("b") == "f32[batch=4, length=6, d=8]");
  CHECK(e.type("c") == "f16[batch=4, length=6, d=8]");
  CHECK(e.type("h") == "f32[batch=4]");
  CHECK(e.type("i") == "int[batch=4]");
  CHECK(e.type("f") == "f32[]");
  CHECK(e.type("g") == "int[batch=4]");
  CHECK(e.type("n") == "int[]");
  CHECK(e.type("m") == "f32[]");
  CHECK(e.type("o") == "f32[batch=4, e=2]");
}

TEST_CASE("precision = f64 keeps every float in f64") {
  ElaborateOptions options;
  options.settings = {{"train.precision", "f64"}};
  Elaborated e = shipped("mnist.mtf", options);
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.model->settings.precision == "f64");
  for (const Graph* g : {&e.model->train, &e.model->eval, &e.model->init})
    for (const Value& v : g->values) CHECK(v.type.dtype != DType::f32);
}

TEST_CASE("repeat carries names, hides others, and may have no iterations") {
  Elaborated e(head +
               "h = x\nrepeat@turns i in 3 { t = h * (i + 1)  h = t + x }\n"
               "repeat@none 0 { h = nonsense }\nloss mean(h)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("turns.2.t") == "f32[batch=4, length=6, d=8]");
  Elaborated gone(head + "repeat@turns 2 { t = x }\ny = t");
  CHECK(gone.codes() == "E301");
}

TEST_CASE("blocks bind lists, dimensions by parameter, defaults and static choices") {
  Elaborated e(head +
               "block f(t, scale=1.0, extra=scale * 2, dim kv, dim e over p, q -> r) {\n"
               "  y = sum(t over p) * extra\n"
               "  if extra > 3 { return y[q -> r] } else { return y }\n}\n"
               "dim r6 = 6\n"
               "y = f(x, scale=2, kv=memory over d, length -> r6)\n"
               "block two(t) { return t, t * 2 }\na, b = two(x)\nloss mean(y) + mean(a * b)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("y") == "f32[batch=4, r6=6]");
  CHECK(e.type("b") == "f32[batch=4, length=6, d=8]");
}

TEST_CASE("one list formal binds all actual dimensions") {
  Elaborated e(head + "y = dense@f(x over length, d -> e, memory)\nloss mean(y)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(to_string(e.model->dims, e.variable("f.w")->type) == "f32[length=6, d=8, e=2, memory=6]");
}

TEST_CASE("both spellings of einsum are one operation") {
  Elaborated e(head +
               "param w[d, e] ~ glorot(over d -> e)\n"
               "a = einsum(x, w over d)\nb = einsum(x, w -> batch, length, e)\nloss mean(a - b)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("a") == e.type("b"));
}

TEST_CASE("states are updated in training only") {
  Elaborated e(head + "y = batch_norm@bn(x over d)\nloss mean(y)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.variable("bn.m")->kind == Variable::Kind::state);
  std::vector<std::string> updated;
  for (const Output& o : e.model->train.outputs)
    if (o.kind == Output::Kind::variable) updated.push_back(o.name);
  CHECK(updated == std::vector<std::string>{"bn.m", "bn.v"});
  for (const Output& o : e.model->eval.outputs) CHECK(o.kind != Output::Kind::variable);
}

TEST_CASE("two names of one value can both be asked for") {
  Elaborated e(head + "y = x\nz = x[d -> d']");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("y") == "f32[batch=4, length=6, d=8]");
  CHECK(e.type("z") == "f32[batch=4, length=6, d'=8]");
}

TEST_CASE("losses in blocks have paths; a declared union does not warn") {
  Elaborated e(head +
               "input t[memory] from gaussian(seed=2)\n"
               "block f(u) { loss extra = mean(u)  return u }\n"
               "y = f@g(x)\nz[batch, length, d, memory] = y * t\nloss mean(z)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.codes().empty());
  REQUIRE(e.model->train.outputs.size() == 2);
  CHECK(e.model->train.outputs[0].name == "g.extra");
  CHECK(e.model->train.outputs[1].name == "loss");
}

TEST_CASE("recompute tags its operations and is no scope") {
  Elaborated e(head + "recompute { y = exp(x) }\nloss mean(y)");
  INFO(e.said());
  REQUIRE(e.model);
  for (const Operation& op : e.model->train.ops)
    CHECK((op.role.recompute == 1) == (op.op == "exp"));
}

TEST_CASE("a size or constant may be what a block returns") {
  const std::string text =
      "block twice(n) { return n * 2 }\ndim d = twice(2), e = twice(d)\nconst c = twice(3)\n"
      "input x[d, e] from gaussian(seed=1)\nparam w[d] = c\nloss sum(einsum(x, w over d))\n";
  Elaborated e(text);
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(to_string(e.model->dims, e.model->inputs.front().type) == "f32[d=4, e=8]");
  Elaborated defined(text, {{{"d", "twice(3)"}}, {}});
  INFO(defined.said());
  REQUIRE(defined.model);
  CHECK(to_string(defined.model->dims, defined.model->inputs.front().type) == "f32[d=6, e=12]");

  CHECK(Elaborated("block f(n) { return n * d }\ndim d = f(2)\nloss f32(d)\n").codes() == "E305");
  CHECK(Elaborated("block f(n) { return f(n) }\ndim d = f(2)\nloss f32(d)\n").codes() == "E305");
  CHECK(Elaborated("block f(n) { return sum(index(k)) * n }\ndim k = 3, d = f(2)\nloss f32(d)\n")
            .codes() == "E207");
}

}  // namespace frontend_elaborate_models_test
