// No layout goes below what rules alone say of it: work, and the sums that products over split
// dimensions leave.
#include "plan/price/bounds.h"

#include <catch2/catch.hpp>
#include <random>

#include "frontend/layout/parse_layout.h"
#include "plan/price/pricing.h"
#include "plan/space/block_scopes.h"
#include "plan/space/variants.h"
#include "plan/space/ways_to_keep.h"
#include "unit/plan/lab.h"
#include "unit/support/nightly.h"

namespace plan_bounds_test {

using namespace plan_lab;
using plan::Choice;

namespace {

struct Case {
  std::string name, model;  // of models/
  Words defines;
  std::string settings = {};            // of the layout that is kept
  bool again = false;                   // blocks are computed again
  std::string iterations = "layers.*";  // what pipelines cut apart
  std::string chip = "v100";
  int processors = 8;
  int threads = 0;  // of a chip whose kernels are known; 0: they are not
};

/// A mean over what layouts may split is taken of sums over what they split: one collective does.
constexpr const char* kMeans = R"(dim batch = 1024, length = 8, d = 4096, f = 64, layers = 2
input x[batch, length, d] from gaussian(seed=7)
h = x
block gate(h[batch, length, d]) {
  param w1[d, f] ~ normal(0.02)
  param w2[f, d] ~ normal(0.02)
  return sigmoid(mean(einsum(relu(einsum(h, w1 over d)), w2 over f) over length))
}
repeat layers {
  param s[d] ~ normal(0.02)
  h = h * s + stop_gradient(gate@a(h) + gate@b(h) + gate@c(h) + gate@d(h) + gate@e(h) + gate@f(h))
}
loss mean(square(h - x))
train { optimizer = sgd(lr=0.001) steps = 10 }
)";

/// One processor computes scores of attention tile by tile, and again on the way back; a shard of
/// one head stores them.
constexpr const char* kTiles =
    R"(dim batch = 1, length = 512, memory = length, heads = 4, e = 64, d = 256, layers = 2
input x[batch, length, d] from gaussian(seed=1)
input y[batch, length, d] from gaussian(seed=2)
block att(x, dim heads, dim e over length, memory, d) {
  param wq[d, heads, e] ~ fan_in(over d)
  param wk[d, heads, e] ~ fan_in(over d)
  param wv[d, heads, e] ~ fan_in(over d)
  param wo[heads, e, d] ~ fan_in(over heads, e)
  m = x[length -> memory]
  q = einsum(x, wq over d)
  k = einsum(m, wk over d)
  v = einsum(m, wv over d)
  p = softmax(einsum(q, k over e) * 0.125 over memory)
  return einsum(einsum(p, v over memory), wo over heads, e)
}
h = x
repeat layers { h = h + att@att(h, heads=heads, e=e over length, memory, d) }
loss mean((h - y)^2)
train { optimizer = sgd(lr=0.1)  steps = 5 }
)";

std::string model_text(const Case& one) {
  if (one.model.empty()) return one.name == "fewer tiles" ? kTiles : kMeans;
  std::string text = text_of("models/" + one.model + ".mtf");
  if (!one.again) return text;
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), by);
  };
  replace("  x = x + attention", "  recompute { x = x + attention");
  const std::size_t end = text.find('\n', text.find("  x = x + mlp"));
  return text.insert(end, " }");
}

struct Layouts {
  SourceMap sources;
  Layout given;
  plan::Models models;
  predict::Machine machine;
  plan::Space space;

  explicit Layouts(const Case& one, std::int64_t iterations = 2)
      : given(layout(one.settings)),
        models(models_of(sources, model_text(one), sizes(one, iterations),
                         one.iterations.empty() ? 0 : iterations)),
        machine(preset(one.chip)),
        space(plan::space_of(*models.find(1), plan::meshes_of(one.processors, 2), given)) {
    // What rules split is seen in small models, too.
    machine.chip.launch = 1e-9;
    for (predict::Level& level : machine.levels) level.latency = 1e-9;
    if (one.threads > 0) know_kernels(one.threads);
  }

  /// Some numbers of the size that measuring finds; threads share their tasks.
  void know_kernels(int threads) {
    machine.chip.peaks.fill(80e9);
    machine.chip.vector_peak = machine.chip.bandwidth = 100e9;
    predict::KernelCosts& kernels = machine.chip.kernels;
    kernels.known = true;
    kernels.threads = threads;
    kernels.cache = 1e6;
    kernels.cache_rate = 4 * machine.chip.bandwidth;
    kernels.call = 2e-7;
    kernels.turn = kernels.step = kernels.run = kernels.seek = 1e-9;
    kernels.samples = machine.chip.vector_peak / 10;
  }

  static Words sizes(const Case& one, std::int64_t iterations) {
    Words all = one.defines;
    if (!one.iterations.empty()) all.emplace_back("layers", std::to_string(iterations));
    return all;
  }
  Layout layout(const std::string& text) {
    Diagnostics diagnostics;
    const auto made = parse_layout(sources, sources.add("kept.layout", text), diagnostics);
    REQUIRE(made);
    return *made;
  }
};

/// What is asked of them. The layouts outlive it.
struct Asked {
  const plan::NamedWork work;
  const plan::Bounds bounds;
  plan::Pricer pricer;
  const plan::BlockScopes scopes;

  explicit Asked(const Layouts& lab)
      : work(lab.space, lab.models, lab.sources, lab.machine),
        bounds(lab.space, work, lab.machine),
        pricer(lab.models, lab.sources, lab.machine, lab.given),
        scopes(lab.space, *lab.models.find(1)) {}
};

/// Whether products sum over what the rules split.
bool has_sums(const plan::NamedWork& work, const Choice& choice) {
  for (const plan::SumGroup& group : work.sums())
    for (const plan::SumGroup::Path& path : group.paths)
      for (const plan::Split& split : choice.rules) {
        const std::size_t* name = work.find(split.dim);
        if (name && std::find(path.summed.begin(), path.summed.end(), *name) != path.summed.end())
          return true;
      }
  return false;
}

Case on_threads(Case one, int processors, int threads) {
  if (one.model == "two_layer") one.iterations = "";
  one.processors = processors;
  one.threads = threads;
  return one;
}

const Words kSize = {{"batch", "16"}, {"length", "64"}};
const std::vector<Case> kCases = {
    {"tiles", "gpt", kSize},
    {"scores", "gpt", kSize, "set attention=stored\n"},
    {"again", "gpt", kSize, "set attention=stored\n", true},
    {"again in tiles", "gpt", kSize, "", true},
    {"half again", "gpt", kSize, "set recompute=selective\n"},
    {"llama", "llama", kSize},
    {"groups", "grouped_queries", kSize},
    {"bias", "t5_bias", kSize},
    {"experts", "moe", {}, "", false, ""},
    {"both ways", "bert", {}},
    {"shared updates", "gpt", kSize, "set update=sharded\n"},
    {"all again", "gpt", kSize, "set recompute=full\n"},
    {"two nodes", "gpt", kSize, "", false, "layers.*", "v100", 16},
    {"torus", "llama", kSize, "", false, "layers.*", "tpu_v3", 16},
    {"means", "", {}, "", false, "layers.*", "tpu_v3", 16},
    on_threads({"fewer tiles", "", {}}, 4, 1),
    on_threads({"tasks", "two_layer", {{"batch", "1560"}, {"io", "128"}, {"hidden", "768"}}}, 8, 6),
    on_threads({"rows", "two_layer", {{"batch", "1040"}, {"io", "512"}, {"hidden", "512"}}}, 4, 4),
    on_threads({"kernels", "gpt", kSize}, 8, 8),
};

class Random {
 public:
  explicit Random(unsigned seed) : source_(seed) {}
  std::size_t below(std::size_t count) { return source_() % count; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  /// Rules on this mesh, and scopes of blocks, or none.
  std::pair<Choice, plan::Scopings> choice(const Layouts& lab, const plan::BlockScopes& scopes,
                                           const Mesh& mesh) {
    const DimTable& dims = lab.models.find(1)->dims;
    const Choice base{mesh, of(plan::legal_rules(lab.space, mesh, dims, 100000).value())};
    std::vector<plan::Scopings> ways = scopes.ways(base);
    ways.emplace_back();
    return {base, of(ways)};
  }

 private:
  std::mt19937 source_;
};

/// One layout of a case: rules on a mesh, with scopes of blocks.
struct Sampled {
  const Layouts& lab;
  Asked& asked;
  Random& random;
  Choice base;  // without the scopes
  plan::Scopings scopings;
  Choice choice;

  double bound() const {
    return asked.bounds.seconds(base.mesh, base.rules, asked.scopes.further(scopings));
  }
};

/// Calls check(sampled) for `tried` layouts of every case, less those whose scopes do not fit.
template <class Check>
void for_sampled(unsigned seed, int tried, const std::vector<std::int64_t>& microbatches,
                 const Check& check) {
  for (const Case& one : kCases) {
    Layouts lab(one);
    lab.space.microbatches = microbatches;
    Asked asked(lab);
    Random random(seed);
    for (int i = 0; i < tried; ++i) {
      const auto [base, scopings] = random.choice(lab, asked.scopes, random.of(lab.space.meshes));
      const std::optional<Choice> choice = asked.scopes.with(base, scopings);
      if (!choice) continue;
      INFO(one.name << " on " << to_string(base.mesh) << ": " << plan::description(*choice));
      check(Sampled{lab, asked, random, base, scopings, *choice});
    }
  }
}

struct Counts {
  int checked = 0, with_sums = 0, close = 0;
  void note(bool sums, double bound, double floor) {
    ++checked;
    with_sums += sums;
    close += sums && bound > 0.7 * floor;
  }
  void check(int tried) const {
    CHECK(checked >= tried / 4);
    CHECK(with_sums >= tried / 5);
  }
};

}  // namespace

TEST_CASE("no layout takes less than its rules say, sums over split dimensions included") {
  const int tried = test::is_nightly() ? 200 : 4;
  Counts all;
  for_sampled(8, tried, {1}, [&](const Sampled& one) {
    const auto price = one.asked.pricer.whole(one.choice);
    if (!price) return;
    const double bound = one.bound();
    CHECK(bound <= price->floor * (1 + 1e-9));
    CHECK(price->floor <= price->step * (1 + 1e-9));
    all.note(has_sums(one.asked.work, one.base), bound, price->floor);
  });
  all.check(tried * static_cast<int>(kCases.size()));
  CHECK(all.close > all.checked / 8);
}

TEST_CASE("how parameters are kept takes nothing from the work of a layout") {
  const int tried = test::is_nightly() ? 200 : 6;
  int checked = 0, by_scopes = 0;
  for_sampled(9, tried, {1}, [&](const Sampled& one) {
    const auto ways_of = [&](const Choice& choice) {
      return plan::ways_to_keep(one.lab.space, choice, one.lab.models.find(1)->dims);
    };
    const auto ways = ways_of(one.choice);
    if (ways.empty()) return;
    Choice kept = one.choice;
    kept.kept = one.random.of(ways);
    INFO("kept: " << plan::description(kept));
    plan::Pricer& pricer = one.asked.pricer;
    const auto without = pricer.whole(one.choice), with = pricer.whole(kept);
    if (!without || !with) return;
    ++checked;
    const auto before = ways_of(one.base);
    by_scopes += std::find(before.begin(), before.end(), kept.kept) == before.end();
    CHECK(without->floor <= with->step * (1 + 1e-9));
    CHECK(one.bound() <= with->step * (1 + 1e-9));
  });
  CHECK(checked >= tried * static_cast<int>(kCases.size()) / 8);
  CHECK(by_scopes >= checked / 20);
}

TEST_CASE("a sum over more axes than rules say may take less on a torus") {
  Layouts lab({"means", "", {}, "", false, "layers.*", "tpu_v3", 16});
  Asked asked(lab);
  // What the mean sums over is split, too: it goes over both axes at once.
  const Choice choice{{{{"outer", 4}, {"inner", 4}}}, {{"length", {"inner"}}, {"f", {"outer"}}}};
  const auto price = asked.pricer.whole(choice);
  REQUIRE(price);
  const double bound = asked.bounds.seconds(choice.mesh, choice.rules);
  CHECK(bound <= price->floor * (1 + 1e-9));
  CHECK(bound > price->floor / 2);
}

TEST_CASE("no way to keep or update parameters needs less memory than their names say") {
  Counts all;
  for_sampled(10, test::is_nightly() ? 60 : 3, {1, 2}, [&](const Sampled& one) {
    const plan::Space& space = one.lab.space;
    Choice choice = one.choice;
    choice.microbatches = one.random.of(space.microbatches);
    if (const auto ways = plan::variants_of(space, choice, one.lab.models.find(1)->dims);
        !ways.empty())
      choice = one.random.of(ways);
    INFO("of these: " << plan::description(choice));
    const auto price = one.asked.pricer.whole(choice);
    if (!price) return;
    const double bytes = one.asked.bounds.variable_bytes(choice);
    CHECK(bytes <= price->variables);
    if (space.updates && !choice.sharded_update && choice.microbatches == 1 &&
        choice.blocks.empty())
      CHECK(bytes == Approx(price->variables).epsilon(0.05));
    all.note(false, bytes, price->variables);
  });
  CHECK(all.checked > 20);
}

TEST_CASE("no pipeline takes less than its rules say, sums over split dimensions included") {
  const int tried = test::is_nightly() ? 60 : 1;
  int with_iterations = 0;
  Counts all;
  for (const Case& one : kCases) {
    if (one.iterations.empty()) continue;
    ++with_iterations;
    Layouts lab(one, 9);
    lab.space.staged = plan::staged_meshes_of(one.processors, 2, 4);
    Asked asked(lab);
    Random random(9);
    for (int i = 0; i < tried; ++i) {
      const plan::StagedMesh& staged = random.of(lab.space.staged);
      auto [base, scopings] = random.choice(lab, asked.scopes, staged.mesh);
      base.pipeline = plan::Pipeline{{{one.iterations}, 9}, staged.stages};
      base.microbatches = std::int64_t{2} << random.below(3);
      const std::optional<Choice> choice = asked.scopes.with(base, scopings);
      if (!choice) continue;
      INFO(one.name << " on " << to_string(base.mesh) << ": " << plan::description(*choice));
      const auto price = asked.pricer.predicted(*choice, 1e18);
      if (!price) continue;
      const double bound = asked.bounds.pipeline_seconds(base, base.microbatches, true,
                                                         asked.scopes.further(scopings));
      CHECK(bound <= price->step * (1 + 1e-9));
      // Without products of any size it is maps that count, and stages fuse theirs otherwise.
      if (!one.model.empty()) CHECK(bound <= price->floor * (1 + 1e-9));
      CHECK(price->floor <= price->step * (1 + 1e-9));
      all.note(has_sums(asked.work, base), bound, price->floor);
    }
  }
  all.check(tried * with_iterations);
}

}  // namespace plan_bounds_test
