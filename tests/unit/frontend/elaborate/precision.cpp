// precision = bf16 and f16: what is half, what is f32, and what yields (docs/precision.md).
#include <catch2/catch.hpp>

#include "lab.h"

namespace frontend_elaborate_precision_test {

using namespace mtfc;
using test::Elaborated;

namespace {

const std::string head =
    "dim batch = 4, length = 6, d = 8, vocab = 10\n"
    "input x[batch, length, d] from gaussian(seed=1)\n"
    "input tok[batch, length]: int from gaussian_labels(seed=2, classes=10)\n"
    "param w[d, vocab] ~ normal(0.1)\n";

Elaborated mixed(const std::string& text, const std::string& precision = "bf16") {
  ElaborateOptions options;
  options.settings = {{"train.precision", precision}};
  return Elaborated(head + text, options);
}

}  // namespace

TEST_CASE("parameters stay f32 and are read as half, inputs are cast") {
  for (const std::string type : {"bf16", "f16"}) {
    Elaborated e = mixed(
        "logits = einsum(x, w over d)\nh = relu(x) * 2\no = one_hot(tok -> vocab)\n"
        "fill[batch] = 0\nfilled = fill + max(x over d)\ntop = max(x over d)\np = softmax(x over "
        "d)\n"
        "table = w[vocab = tok]\nloss mean(logits)",
        type);
    INFO(e.said());
    REQUIRE(e.model);
    CHECK(e.model->settings.precision == type);
    CHECK(e.variable("w")->type.dtype == DType::f32);
    CHECK(e.model->inputs[0].type.dtype == DType::f32);
    CHECK(e.type("logits") == type + "[batch=4, length=6, vocab=10]");
    CHECK(e.type("h") == type + "[batch=4, length=6, d=8]");
    CHECK(e.type("o") == type + "[batch=4, length=6, vocab=10]");
    CHECK(e.type("fill") == "f32[batch=4]");
    CHECK(e.type("filled") == type + "[batch=4, length=6]");
    CHECK(e.type("top") == type + "[batch=4, length=6]");
    CHECK(e.type("p") == type + "[batch=4, length=6, d=8]");
    CHECK(e.type("table") == type + "[d=8, batch=4, length=6]");
    for (const Graph* g : {&e.model->train, &e.model->eval})
      CHECK(g->at(g->outputs[0].value).type.dtype == DType::f32);
  }
}

TEST_CASE("sums, statistics and losses are f32") {
  Elaborated e = mixed(
      "s = sum(x over d)\nm = mean(x over d)\nl = logsumexp(x over d)\n"
      "c = cross_entropy(einsum(x, w over d), tok over vocab)\n"
      "seen = mean(x, weight=tok > 3 over d)\nloss mean(c)\nloss top = max(x)");
  INFO(e.said());
  REQUIRE(e.model);
  for (const char* name : {"s", "m", "l", "c", "seen"})
    CHECK(e.type(name) == "f32[batch=4, length=6]");
  for (const Output& o : e.model->train.outputs)
    CHECK(e.model->train.at(o.value).type.dtype == DType::f32);
}

TEST_CASE("f32 that was not asked for yields, what was written stands") {
  Elaborated e = mixed(
      "state average[d] = 0\nupdate average = 0.9 * average + 0.1 * mean(x over batch, length)\n"
      "param gain[d]: f32 = 1\ninput exact[batch]: f32 from gaussian(seed=3)\n"
      "noise[dims(x)] ~ normal(1)\n"
      "centred = x - mean(x over d)\nnormal = centred * rsqrt(mean(centred * centred over d) + "
      "1e-5)\n"
      "placed = x + f32(index(length)) / 10\nrunning = x - average\nnoisy = x + noise\n"
      "early = x * min(f32(step) / 100, 1)\nboth = mean(x over d) + f32(tok)\n"
      "asked = f32(x) - mean(x over d)\nkept = x * gain\nread = x * exact\n"
      "declared: f32 = x * 2\nmixes = x + declared\n"
      "chosen = where(tok > 3, x, mean(x over d))\nproduct = einsum(x, f32(index(d)) over d)");
  INFO(e.said());
  REQUIRE(e.model);
  for (const char* name : {"centred", "normal", "placed", "running", "noisy", "early", "chosen"})
    CHECK(e.type(name) == "bf16[batch=4, length=6, d=8]");
  CHECK(e.type("product") == "bf16[batch=4, length=6]");
  CHECK(e.type("both") == "f32[batch=4, length=6]");
  for (const char* name : {"asked", "kept", "read", "declared", "mixes"})
    CHECK(e.type(name).substr(0, 4) == "f32[");
  CHECK(e.variable("average")->type.dtype == DType::f32);
  CHECK(e.variable("gain")->type.dtype == DType::f32);
}

TEST_CASE("a name that a repeat carries becomes half or stays f32") {
  for (const char* start :
       {"~ normal(1)", "= 0", "= sum(x over length)", "= f32(index(d)) + sum(x over length)"}) {
    Elaborated e = mixed("h[batch, d] " + std::string(start) +
                         "\nrepeat@t i in length { h = tanh(h + x[length = i]) }\nloss mean(h)");
    INFO(start << e.said());
    REQUIRE(e.model);
    CHECK(e.type("h") == "bf16[batch=4, d=8]");
  }
  Elaborated e = mixed(
      "total[] = 0\ncount[batch] = 0\nrepeat@t i in length {\n  total = total + mean(x[length = "
      "i])\n"
      "  count = count + sum(x[length = i] over d)\n}\nloss total / length");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("total") == "f32[]");
  CHECK(e.type("count") == "f32[batch=4]");
  Elaborated written = mixed(
      "sum[batch]: f32 = 0\nrepeat@t i in length { sum = sum + max(x[length = i] over d) }\n"
      "fill[batch] = 1\nhalf[batch]: bf16 = fill\nloss mean(sum)");
  INFO(written.said());
  REQUIRE(written.model);
  CHECK(written.type("sum") == "f32[batch=4]");
  CHECK(written.type("half") == "bf16[batch=4]");
  CHECK(mixed("h[batch, d]: f32 ~ normal(1)\nrepeat@t i in length { h = f32(x[length = i]) }\n"
              "repeat@u i in length { h = x[length = i] }\nloss mean(h)")
            .codes() == "E308");
}

TEST_CASE("without a precision, half types mix as they are written") {
  Elaborated e(head +
               "a = bf16(x) + x\nb = bf16(x) * mean(x over d)\nc = sum(bf16(x) over d)\n"
               "e = f16(x) * 2\nf = logsumexp(bf16(x) over d)");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.type("a").substr(0, 4) == "f32[");
  CHECK(e.type("b").substr(0, 4) == "f32[");
  CHECK(e.type("c").substr(0, 5) == "bf16[");
  CHECK(e.type("e").substr(0, 4) == "f16[");
  CHECK(e.type("f").substr(0, 4) == "f32[");
  CHECK(Elaborated(head + "a = bf16(x) + f16(x)").codes() == "E206");
  CHECK(Elaborated(head + "a: bf16 = x").codes() == "E206");
}

TEST_CASE("a loss scale is a number or dynamic") {
  const auto codes = [](const std::string& scale) {
    return Elaborated(head +
                      "loss mean(einsum(x, w over d))\ntrain { optimizer = sgd(lr=1)  steps = 1"
                      "  loss_scale = " +
                      scale + " }")
        .codes();
  };
  for (const char* fine :
       {"1", "2 ^ 10", "dynamic", "dynamic()", "dynamic(2)", "dynamic(growth=1)"})
    CHECK(codes(fine) == "");
  for (const char* wrong :
       {"0", "-1", "2 ^ 25", "dynamic(init=0.5)", "dynamic(growth=0)", "dynamic(growth=1.5)"})
    CHECK(codes(wrong) == "E312");
  CHECK(codes("dynamic(1, 2, 3)") == "E304");
  CHECK(codes("dynamic(grwth=3)") == "E304");
  ElaborateOptions options;
  options.settings = {{"train.loss_scale", "dynamic"}, {"train.loss_scale.growth", "5"}};
  Elaborated e(head + "loss mean(einsum(x, w over d))", options);
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.model->settings.loss_scale.growth == 5);
}

TEST_CASE("the two half types do not mix under a precision either") {
  CHECK(mixed("a = x + f16(x)").codes() == "E206");
  CHECK(mixed("a = x + bf16(x)").model);
  CHECK(mixed("a = x + bf16(x)", "f16").codes() == "E206");
  CHECK(mixed("a = x", "f8").codes() == "E312");
  CHECK(mixed("a = x", "int").codes() == "E312");
  // A parameter that nothing uses but its cast is still unused.
  CHECK(mixed("param unused[d] = 0\nloss mean(einsum(x, w over d))").codes() ==
        Elaborated(head + "param unused[d] = 0\nloss mean(einsum(x, w over d))").codes());
}

}  // namespace frontend_elaborate_precision_test
