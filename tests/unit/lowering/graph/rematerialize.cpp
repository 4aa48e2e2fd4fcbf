// `recompute { }` changes no number and less memory is needed.
#include <catch2/catch.hpp>
#include <set>

#include "unit/lowering/lab.h"

namespace lowering_graph_rematerialize_test {

using namespace lowering_lab;

namespace {

/// Blocks, a shared instance, a parameter read in several regions, samples, a state, nested
/// regions.
std::string text(const std::string& outer, const std::string& inner) {
  return "dim batch = 8, d = 16, layers = 3\n"
         "input x[batch, d] from gaussian(seed=1)\n"
         "block half(x) {\n"
         "  param w[d', d] ~ normal(0.3)\n"
         "  u[dims(x)] ~ uniform(0, 1)\n"
         "  y = tanh(einsum(x[d -> d'], w over d'))\n"
         "  return where(u >= 0.2, y, 0)\n"
         "}\n"
         "instance shared = half@shared\n"
         "param g[d] = 1\n"
         "state seen[d] = 0\n"
         "h = x * g\n"
         "repeat layers {\n" +
         outer + " {\n" + inner + " { h = h + half@a(h) }\n" + inner +
         " { h = sin(h + half@b(h) * g)  h = h + shared(h) }\n"
         "h = exp(-h * h)\n"
         "} }\n" +
         outer +
         " {\n"
         "update seen = 0.9 * seen + 0.1 * mean(h over batch)\n"
         "loss mean(h * h)\n"
         "}\n"
         "train { optimizer = adam(lr=0.01) steps = 4 precision = f64 }\n";
}
const std::string no = "if true", yes = "recompute";

}  // namespace

TEST_CASE("recompute leaves every number as it is, on any layout") {
  struct Layout {
    Mesh mesh;
    Rules rules;
  };
  for (const Layout& layout :
       {Layout{}, Layout{{{{"rows", 2}}}, {{"batch", "rows"}}},
        Layout{{{{"rows", 2}, {"cols", 2}}}, {{"batch", "rows"}, {"d", "cols"}}}}) {
    const Model plain = model_of(text(no, no));
    const Numbers expected = train(plain, place(plain, layout.mesh, layout.rules));
    for (const auto& [outer, inner] : {std::pair{yes, no}, {no, yes}, {yes, yes}}) {
      const Model model = model_of(text(outer, inner));
      const Numbers found = train(model, place(model, layout.mesh, layout.rules));
      CHECK(difference(expected, found) < 1e-13);
    }
  }
}

TEST_CASE("recompute keeps the inputs of regions only") {
  const auto drawn = [](const std::string& outer, const std::string& inner) {
    Model model = model_of(text(outer, inner));
    const Module module = lowering::lower(model, place(model, {}, {}), {});
    std::multiset<std::string> samples;
    for (const Instruction& i : module.find("train")->instructions)
      if (const auto* map = std::get_if<Map>(&i.kind))
        for (const Map::Random& r : map->random_leaves) samples.insert(std::to_string(r.key));
    return samples;
  };
  // What is drawn in the forward pass is drawn again, the same, for each level of regions around
  // it.
  const auto once = drawn(yes, no), twice = drawn(yes, yes);
  CHECK(std::set<std::string>(once.begin(), once.end()).size() == 9);
  for (const std::string& key : once) {
    CHECK(once.count(key) >= 2);
    CHECK(twice.count(key) >= 3);
  }
  CHECK(twice.size() > once.size());
}

TEST_CASE("recompute around each layer: memory falls to one layer and the inputs of all") {
  const auto bytes = [](int layers, const std::string& word) {
    const Model model =
        model_of("dim batch = 4096, d = 8, layers = " + std::to_string(layers) +
                 "\ninput x[batch, d] from gaussian(seed=1)\n"
                 "param g[d] = 1\nh = x * g\n"
                 "repeat layers { param w[d', d] ~ normal(0.3) " +
                 word +
                 " {\n"
                 "a = tanh(einsum(h[d -> d'], w over d'))  b = exp(sin(a[d -> d']))\n"
                 "h = h + sin(einsum(b, w over d')) } }\n"
                 "loss mean(h * h)\n"
                 "train { optimizer = sgd(lr=0.01) steps = 1 }\n");
    return arena_bytes(model, place(model, {}, {})) / (4096 * 8 * 4);
  };
  const std::int64_t kept = bytes(16, no) - bytes(8, no), made = bytes(16, yes) - bytes(8, yes);
  CHECK(made == 8);      // one tensor a layer
  CHECK(kept >= 3 * 8);  // at least what tanh, exp and sin need
}

}  // namespace lowering_graph_rematerialize_test
