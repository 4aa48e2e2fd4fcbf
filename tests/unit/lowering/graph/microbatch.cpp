// `microbatches = n` changes no number and what a step holds falls.
#include <catch2/catch.hpp>

#include "unit/lowering/lab.h"

namespace lowering_graph_microbatch_test {

using namespace lowering_lab;

namespace {

struct Layout {
  Mesh mesh;
  Rules rules;
};
std::vector<Layout> layouts() {
  return {{{}, {}},
          {{{{"rows", 2}}}, {{"batch", "rows"}}},
          {{{{"rows", 2}, {"cols", 2}}}, {{"batch", "rows"}, {"hidden", "cols"}}}};
}

std::string with(std::string text, int parts, const std::string& precision = "f64") {
  return text +
         "\ntrain { optimizer = adam(lr=0.01)  steps = 3  clip = 0.5  precision = " + precision +
         "  microbatches = " + std::to_string(parts) + " }\n";
}

/// The numbers for every count of parts on every layout against one part on one processor.
void check_equal(const std::string& text, const std::vector<int>& counts, double tolerance,
                 const std::string& precision = "f64") {
  const Model plain = model_of(with(text, 1, precision));
  const Numbers expected = train(plain, place(plain, {}, {}));
  for (int parts : counts) {
    const Model model = model_of(with(text, parts, precision));
    for (const Layout& layout : layouts()) {
      INFO(parts << " parts, " << layout.mesh.axes.size() << " axes");
      const Numbers found = train(model, place(model, layout.mesh, layout.rules));
      CHECK(difference(expected, found) < tolerance);
    }
  }
}

const std::string data =
    "dim batch = 12, d = 4, hidden = 6, length = 3, vocab = 5\n"
    "input x[batch, d] from gaussian(seed=1)\n"
    "input y[batch, d] from gaussian(seed=2)\n"
    "input ids[batch, length]: int from gaussian_labels(seed=3, classes=vocab)\n"
    "param w[d, hidden] ~ normal(0.5)\n"
    "param v[hidden, d] ~ normal(0.5)\n"
    "param table[vocab, d] ~ normal(1)\n"
    "h = tanh(einsum(x, w over d))\n"
    "z = einsum(h, v over hidden)\n";

/// Every kind of loss, state and sample.
const std::string rich = data +
                         "u[dims(z)] ~ uniform(0, 1)\n"
                         "noise[d] ~ normal(0.1)\n"
                         "state m[d] = 0\n"
                         "state turns = 0\n"
                         "state seen[d] = 0\n"
                         "o = where(u > 0.3, z + noise, 0) * (1 + 0.1 * f32(index(batch)))\n"
                         "e = table[vocab = ids]\n"
                         "update m = 0.9 * m + 0.1 * mean(o over batch)\n"
                         "update turns = turns + 1\n"
                         "update seen = seen + sum(x over batch)\n"
                         "loss fit = mean((o - y)^2, weight=y > 0)\n"
                         "loss plain = mean(o * y)\n"
                         "loss l2 = 0.01 * sum(w * w)\n"
                         "loss curved = exp(mean(o * o)) + sum(o) / batch\n"
                         "loss vector = sum(mean(o over batch)^2)\n"
                         "loss words = mean(sum(e * o over d))\n"
                         "metric positive = mean(o > y)\n";

}  // namespace

TEST_CASE("micro-batches: losses, samples, states and gradients are those of the whole batch") {
  check_equal(rich, {2, 3, 6}, 1e-12);
}

TEST_CASE("micro-batches in single precision agree within rounding") {
  check_equal(rich, {2}, 2e-5, "f32");
}

TEST_CASE("micro-batches and recompute go together") {
  check_equal(data +
                  "u[dims(z)] ~ uniform(0, 1)\n"
                  "recompute { a = sin(where(u > 0.2, z, 0))  recompute { c = exp(a * a) } }\n"
                  "loss mean((c - y)^2, weight=exp(y))\n",
              {2, 3}, 1e-12);
}

TEST_CASE("micro-batches: dimensions made of examples") {
  check_equal(data +
                  "dim tokens = batch * length, group = 3, member = 4\n"
                  "e = table[vocab = ids][(batch, length) -> tokens]\n"
                  "u[tokens, d] ~ uniform(0, 1)\n"
                  "t = where(u > 0.5, e, 0) * f32(1 + index(tokens))\n"
                  "loss mean(t[tokens -> (batch, length)] * z)\n"
                  "g = z[batch -> (group, member)]\n"
                  "loss groups = sum(mean(g over member)^2)\n"
                  "loss twin = mean(sin(z[batch -> batch']))\n",
              {2}, 1e-12);
}

TEST_CASE("micro-batches: evaluations take them where no number changes by it") {
  const std::string loss = "loss mean((z - y)^2)\n";
  const std::pair<const char*, bool> models[] = {
      {"metric positive = mean(z > y)\nmetric perplexity = exp(mean(z * z, weight=y > 0))\n", true},
      {"u[dims(z)] ~ uniform(0, 1)\nmetric kept = mean(where(u > 0.3, z, 0))\n", true},
      {"dim tokens = batch * length\ne = table[vocab = ids][(batch, length) -> tokens]\n"
       "u[tokens, d] ~ uniform(0, 1)\nmetric words = mean(where(u > 0.5, e, 0))\n",
       true},
      {"metric twin = mean(sin(z[batch -> batch']))\nmetric lines = mean(softmax(z over d) * y)\n",
       true},
      {"metric total = sum(z)\n", false},
      {"metric most = max(z)\n", false},
      {"metric ratio = sum(z * y) / sum(y * y)\n", false},
      {"metric each = mean(mean(z over batch)^2)\n", false},
      {"metric spread = mean((z - mean(z over batch))^2)\n", false},
      {"metric shares = mean(softmax(z over batch) * y)\n", false},
      {"metric places = mean(z * f32(index(batch)))\n", false},
      {"metric pairs = mean(einsum(z, z[batch -> batch'] over d)^2)\n", false},
      {"dim group = 3, member = 4\ng = z[batch -> (group, member)]\nmetric groups = mean(g * g)\n",
       false},
      {"dim rows = 4\ninput other[rows, d] from gaussian(seed=5)\nmetric two = mean(other * "
       "other)\n",
       false}};
  for (const auto& [text, parts] : models) {
    INFO(text);
    const Model model = model_of(with(data + text + loss, 2));
    CHECK(model.evaluation.count == (parts ? 2 : 1));
    check_equal(data + text + loss, {2}, 1e-12);
  }
}

TEST_CASE("the programs of micro-batches do not grow with their number; one reduction each") {
  std::vector<std::size_t> sizes;
  for (int parts : {2, 6}) {
    const Model model = model_of(with(rich, parts));
    const Module module =
        lowering::lower(model, place(model, {{{"rows", 2}}}, {{"batch", "rows"}}), {});
    REQUIRE(module.step ==
            std::vector<StepProgram>{
                {"measure", parts}, {"seed", 1}, {"accumulate", parts}, {"apply", 1}});
    for (const char* name : {"measure", "accumulate", "apply"}) {
      sizes.push_back(module.find(name)->instructions.size());
      std::size_t reductions = 0;
      for (const Instruction& i : module.find(name)->instructions)
        reductions += is_collective(i.kind);
      CHECK((reductions == 0) == (std::string(name) != "apply"));
    }
    const ModuleVariable& w = *module.find_variable("train.grad.w");
    CHECK(to_string(module.dims, module.mesh, w.type) == "f64[d, hidden] partial(rows)");
  }
  CHECK(std::equal(sizes.begin(), sizes.begin() + 3, sizes.begin() + 3));
}

TEST_CASE("sums of plain means need no pass of their own") {
  const Model model = model_of(with(data + "loss mean((z - y)^2)\nloss more = 2 * mean(z)\n", 4));
  const Module module = lowering::lower(model, place(model, {}, {}), {});
  CHECK(module.step == std::vector<StepProgram>{{"accumulate", 4}, {"apply", 1}});
}

TEST_CASE("weights alone are measured first") {
  const Model model = model_of(with(data + "loss mean((z - y)^2, weight=y > 0)\n", 4));
  const Module module = lowering::lower(model, place(model, {}, {}), {});
  REQUIRE(module.step.size() == 4);
  for (const Instruction& i : module.find("measure")->instructions)
    CHECK(!std::holds_alternative<Contract>(i.kind));
}

TEST_CASE("a step holds less, the more micro-batches there are") {
  const auto bytes = [](int parts) {
    const Model model =
        model_of(with("dim batch = 1024, d = 16\n"
                      "input x[batch, d] from gaussian(seed=1)\nparam w[d, d'] ~ normal(0.5)\n"
                      "z = exp(sin(tanh(einsum(x, w over d))))\nloss mean(z * z)\n",
                      parts));
    return arena_bytes(model, place(model, {}, {}));
  };
  CHECK(bytes(4) < bytes(1) / 3);
  CHECK(bytes(16) < bytes(4) / 3);
}

namespace {
std::vector<std::string> said(const std::string& text) {
  std::vector<std::string> list;
  const Diagnostics found = complaints_of(text);
  for (const Diagnostic& d : found.all())
    if (d.kind != DiagKind::unused_parameter)
      list.push_back(std::string(info(d.kind).code) + " " + d.message);
  return list;
}
}  // namespace

TEST_CASE("what each micro-batch computes alone is named") {
  using Lines = std::vector<std::string>;
  const auto of = [](const std::string& more) { return said(with(data + more, 2)); };
  CHECK(of("loss mean(z)\n") == Lines{});
  CHECK(of("loss mean(z - mean(z over batch))\n") ==
        Lines{"W303 `mean` over `batch` is computed on each micro-batch alone"});
  CHECK(of("loss mean(log(softmax(z over batch)))\n") ==
        Lines{"W303 `max` over `batch` is computed on each micro-batch alone",
              "W303 `sum` over `batch` is computed on each micro-batch alone"});
  CHECK(of("loss max(z)\n") ==
        Lines{"W303 `max` over `batch` is computed on each micro-batch alone"});
  CHECK(of("loss mean(einsum(z, z[batch -> batch'] over d))\n") ==
        Lines{"W303 `einsum` over `batch` is computed on each micro-batch alone"});
  for (const char* over : {"batch'", "batch', d", "batch, batch', d"})
    CHECK(of("loss mean(einsum(z, z[batch -> batch'] over " + std::string(over) + "))\n").back() ==
          "W303 `einsum` over `batch` is computed on each micro-batch alone");
  CHECK(of("loss mean(logsumexp(z over batch))\n") ==
        Lines{"W303 `logsumexp` over `batch` is computed on each micro-batch alone"});
  CHECK(of("loss mean(z) * f32(any(z > 0)) * f32(all(z > 0))\n") == Lines{});
  CHECK(of("dead = z - mean(z over batch)\nloss mean(z)\n") == Lines{});
}

TEST_CASE("what cannot be computed on a micro-batch is an error that names it") {
  using Lines = std::vector<std::string>;
  const auto of = [](const std::string& more, int parts = 2) {
    return said(with(data + more, parts));
  };
  CHECK(of("loss mean(z)\n", 5) ==
        Lines{"E312 a batch of 12 cannot be split into 5 micro-batches"});
  CHECK(of("loss mean(z[batch = 3])\n") ==
        Lines{"E319 the whole batch is needed along `batch`, and a micro-batch has a part of it"});
  CHECK(of("dim half = 6\nloss mean(z[batch = 0:6 -> half])\n").at(0).rfind("E319", 0) == 0);
  CHECK(of("state p[batch] = 0\nupdate p = p + 1\nloss mean(z * p)\n") ==
        Lines{"E319 `p` has the dimension of the examples"});
  CHECK(of("dim g = 4, k = 3\nloss mean(z[batch -> (g, k)])\n") ==
        Lines{"E319 this split cannot be made on 2 micro-batches"});
  // Positions of the whole batch, also where they are indices of something else.
  CHECK(of("dim n = 48\nparam u[n] = 1\nloss mean(z * u[n = 4 * index(batch)])\n") ==
        Lines{"E319 the whole batch is needed along `batch`, and a micro-batch has a part of it"});
  // Examples that lie otherwise than micro-batches have them.
  const std::string n = "dim n = batch * d, p = 8, q = 6\n";
  CHECK(of(n + "loss mean(z[(batch, d) -> n][n -> (p, q)])\n") ==
        Lines{"E319 this split cannot be made on 2 micro-batches"});
  CHECK(of(n + "loss mean(z[(batch, d) -> n] * x[(d, batch) -> n])\n").at(0) ==
        "E319 this view mixes the examples of 2 micro-batches");
  CHECK(of("dim pairs = batch * batch\n"
           "pair = einsum(x, y[batch -> batch'] over d)\n"
           "loss mean(pair[(batch, batch') -> pairs] * mean(z))\n")
            .at(0) == "E319 this view mixes the examples of 2 micro-batches");
}

}  // namespace lowering_graph_microbatch_test
