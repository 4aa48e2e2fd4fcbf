// What is computed again in the backward pass changes no number, and less memory is needed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "unit/lowering/lab.h"

namespace lowering_program_rematerialize_maps_test {

using namespace lowering_lab;

namespace {

/// A layer with an activation; `where` is around it.
std::string text(const std::string& activation, const std::string& precision) {
  return "dim batch = 16, a = 32, d = 128\n"
         "input x[batch, a] from gaussian(seed=1)\n"
         "param w[a, d] ~ normal(0.3)\n"
         "param v[d, a] ~ normal(0.3)\n"
         "param b[d] = 0.1\n"
         "u[dims(x)] ~ uniform(0, 1)\n"
         "h = einsum(where(u >= 0.2, x, 0), w over a) + b\n"
         "h = " +
         activation +
         "\n"
         "h = h / (1 + sum(h * h over d))\n"
         "loss mean(einsum(h, v over d)^2)\n"
         "train { optimizer = sgd(lr=0.1) steps = 3 precision = " +
         precision + " }\n";
}

struct Counts {
  int tanh = 0, samples = 0;
};
/// In the training program, before and after the fused maps are pruned.
Counts count(const Module& module) {
  Counts counts;
  for (const Instruction& i : module.find("train")->instructions)
    if (const auto* map = std::get_if<Map>(&i.kind)) {
      counts.samples += static_cast<int>(map->random_leaves.size());
      for (const ScalarInstruction& s : map->body.code)
        counts.tanh += s.kind == LeafKind::none && s.op == ScalarOp::tanh;
    }
  return counts;
}

/// Layers of which each multiplies an activation of the one before.
std::string layers_text() {
  return "dim batch = 16, a = 32, d = 128\n"
         "input x[batch, a] from gaussian(seed=1)\n"
         "y = x\n"
         "repeat@layer 3 {\n"
         "  param w[a, d] ~ normal(0.3)\n"
         "  param v[d, a] ~ normal(0.3)\n"
         "  y = einsum(gelu(einsum(y, w over a)), v over d)\n"
         "}\n"
         "loss mean(y^2)\n"
         "train { optimizer = sgd(lr=0.1) steps = 3 }\n";
}
/// Products of the backward pass that read one of two results of a map of it: a gradient, or an
/// activation that is computed again beside it.
int products_beside_gradients(const Module& module) {
  const Program& program = *module.find("train");
  std::set<ValueId> copies;
  int count = 0;
  for (const Instruction& i : program.instructions) {
    if (i.role.kind != StepRole::Kind::gradient) continue;
    const auto* map = std::get_if<Map>(&i.kind);
    if (map && map->body.results.size() == 2) copies.insert(i.results.begin(), i.results.end());
    if (std::holds_alternative<Contract>(i.kind))
      count += std::any_of(i.operands.begin(), i.operands.end(),
                           [&](ValueId o) { return copies.contains(o); });
  }
  return count;
}

/// Layers of attention with a mask, and normalised inputs.
std::string attention_text(const std::string& precision) {
  return "use \"nn.mtf\"\n"
         "dim batch = 4, d = 16, heads = 2, e = 8, length = 64\n"
         "dim memory = length\n"
         "input x[batch, length, d] from gaussian(seed=1)\n"
         "y = x\n"
         "repeat@layer 3 {\n"
         "  param wq, wk, wv, wo [d, heads, e] ~ normal(0.3)\n"
         "  n = layer_norm@ln(y over d)\n"
         "  m = n[length -> memory]\n"
         "  q = einsum(n, wq over d)\n"
         "  k = einsum(m, wk over d)\n"
         "  v = einsum(m, wv over d)\n"
         "  s = einsum(q, k over e) / sqrt(e)\n"
         "  a = softmax(where(index(length) >= index(memory), s, -1e9) over memory)\n"
         "  y = y + einsum(einsum(a, v over memory), wo over heads, e)\n"
         "}\n"
         "loss mean(y^2)\n"
         "train { optimizer = sgd(lr=0.1) steps = 3 precision = " +
         precision + " }\n";
}

}  // namespace

TEST_CASE("products have activations computed again beside the maps of their gradients") {
  const Model model = model_of(layers_text());
  for (const bool split : {false, true}) {
    const Module module = lowering::lower(
        model, split ? place(model, {{{"rows", 2}}}, {{"batch", "rows"}}) : place(model, {}, {}),
        {});
    // Each layer's two gradients of parameters and, but for the first one, of its input.
    CHECK(products_beside_gradients(module) == 3 + 3 + 2);
    CHECK(count(module).tanh == 2 * 3);
  }
}

TEST_CASE("scores of attention are computed again where that is asked for") {
  const Model model = model_of(attention_text("f32"));
  for (const bool split : {false, true}) {
    Assignment plain =
        split ? place(model, {{{"rows", 2}, {"cols", 2}}}, {{"batch", "rows"}, {"heads", "cols"}})
              : place(model, {}, {});
    Assignment again = plain;
    again.options.recompute_scores = true;
    // Of two layers neither the scores nor the probabilities are kept.
    const std::int64_t scores = 4 * 2 * 64 * 64 * 4 / (split ? 4 : 1);
    CHECK(arena_bytes(model, plain) - arena_bytes(model, again) >= 2 * scores * 9 / 10);
    CHECK(difference(train(model, again), train(model, plain)) == 0);
  }
}

TEST_CASE("an activation is computed again from its input, samples are not") {
  const Model model = model_of(text("gelu(h)", "f32"));
  const Counts counts = count(lowering::lower(model, place(model, {}, {}), {}));
  CHECK(counts.tanh == 2);
  CHECK(counts.samples == 1);
  // In f64 the C library's tanh takes longer than memory does.
  const Model wide = model_of(text("gelu(h)", "f64"));
  CHECK(count(lowering::lower(wide, place(wide, {}, {}), {})).tanh == 1);
}

TEST_CASE("of an activation's values only its input and its result are kept") {
  // The same network with an activation that keeps as much as possible: its result alone.
  const Model gelu = model_of(text("gelu(h)", "f32")), plain = model_of(text("tanh(h)", "f32"));
  const std::int64_t one = 16 * 128 * 4;
  const std::int64_t more =
      arena_bytes(gelu, place(gelu, {}, {})) - arena_bytes(plain, place(plain, {}, {}));
  CHECK(more <= 2 * one);
}

TEST_CASE("what is computed again changes no number on any layout") {
  for (const char* activation : {"gelu(h)", "silu(h)", "elu(h)", "exp(-h * h)"}) {
    const Model model = model_of(text(activation, "f64"));
    const Numbers expected = train(model, place(model, {}, {}));
    const Numbers found = train(
        model, place(model, {{{"rows", 2}, {"cols", 2}}}, {{"batch", "rows"}, {"d", "cols"}}));
    CHECK(difference(expected, found) < 1e-12);
  }
}

}  // namespace lowering_program_rematerialize_maps_test
