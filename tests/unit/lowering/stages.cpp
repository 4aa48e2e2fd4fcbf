// Models cut into stages compute what they compute whole: values, gradients, updates, states,
// losses and evaluations, whatever the cut, the schedule and the layout of a stage.
#include "layout/stages.h"

#include <catch2/catch.hpp>
#include <random>

#include "ir/stage_meshes.h"
#include "lab.h"
#include "layout/assign.h"
#include "layout/resolve_pipeline.h"
#include "lowering/stages/deal_out.h"
#include "unit/support/nightly.h"

namespace lowering_stages_test {

using namespace mtfc;
using lowering_lab::model_of;
using lowering_lab::place;

namespace {

/// By day half of the seeds, which still have every schedule and every cut.
const unsigned share = MTFC_TEST_SHARE * (test::is_nightly() ? 1 : 2);

/// Layers in a `repeat`, with a parameter that the first and the last stage use, a value that goes
/// past all layers, and a state.
struct Text {
  int layers = 3;
  int microbatches = 2;
  bool dropout = false, recompute = false, clip = false, shared = false;
  bool curved = false;  // a loss whose gradient needs a total of all micro-batches first
  std::string optimizer = "adamw(lr=0.01)";

  std::string text() const {
    const std::string layer = std::string("z = layer@l(") + (shared ? "z + bias" : "z") +
                              " over d)" + (dropout ? "\n  z = dropout@drop(z, 0.2)" : "");
    return "use \"nn.mtf\"\ndim layers = " + std::to_string(layers) +
           ", batch = 8, d = 6, h = 4, k = 5\n"
           "input x[batch, d] from gaussian(seed=1)\n"
           "input y[batch]: int from gaussian_labels(seed=2, classes=k)\n"
           "block layer(x over d) {\n"
           "  param w[d, h] ~ normal(0.5)\n  param v[h, d] ~ normal(0.5)\n"
           "  return x + einsum(relu(einsum(x, w over d)), v over h)\n}\n"
           "param tied[k, d] ~ normal(0.5)\nparam bias[d] ~ normal(0.5)\n"
           "state average[d] = 0\n"
           "first = x * sum(tied over k) + 0.1 * average\nz = first\n"
           "repeat layers {\n  " +
           (recompute ? "recompute { " + layer + " }" : layer) +
           "\n}\n"
           "update average = 0.9 * average + 0.1 * mean(z over batch)\n"
           "z = z + first + bias\n"
           "logits = einsum(z, tied over d)\n"
           "loss mean(cross_entropy(logits, y over k))\n" +
           (curved ? "loss curve = 0.1 * exp(mean(0.01 * z * z))\n" : "") +
           "metric accuracy = mean(argmax(logits over k) == y)\n"
           "train { optimizer = " +
           optimizer + "  steps = 3  eval_every = 2  precision = f64  microbatches = " +
           std::to_string(microbatches) + (clip ? "  clip = 0.1" : "") + " }\n";
  }
};

Assignment in_stages(const Model& model, Assignment assignment, std::vector<std::string> stages,
                     const std::string& schedule) {
  Layout layout;
  layout.pipeline = LayoutPipeline{};
  layout.pipeline->globs = {"layers.*"};
  layout.pipeline->fields = {{"stages", std::move(stages), {}}};
  const auto chunks = schedule.find(' ');  // "interleaved 2"
  layout.pipeline->fields.push_back({"schedule", {schedule.substr(0, chunks)}, {}});
  if (chunks != std::string::npos)
    layout.pipeline->fields.push_back({"chunks", {schedule.substr(chunks + 1)}, {}});
  Diagnostics found;
  lowering::resolve_pipeline(layout, model, assignment, found);
  INFO((found.all().empty() ? "" : found.all().front().message));
  REQUIRE(assignment.stages);
  return assignment;
}

/// A random division of the layers: "1", "2".
std::vector<std::string> random_cut(std::mt19937& random, int layers) {
  std::vector<std::string> sizes;
  for (int left = layers; left > 0;) {
    const int size = 1 + static_cast<int>(random() % static_cast<unsigned>(left));
    sizes.push_back(std::to_string(size));
    left -= size;
  }
  if (sizes.size() == 1) sizes = {"1"};  // one word says how many stages
  return sizes;
}

/// Trainable parameters are kept on shards of axis `a`, along `d` or `h`, and gathered once a step.
void gather_each_step(const Model& model, Assignment& assignment) {
  assignment.options.gather_once = assignment.options.gather_step = true;
  for (const Variable& v : model.variables) {
    if (!v.trainable) continue;
    Sharding kept = lowering::sharding_of(v.type.dims, assignment);
    for (std::size_t i = 0; i < v.type.dims.size(); ++i) {
      const std::string& dim = model.dims.name(v.type.dims[i]);
      if (!kept.split[i].empty() || (dim != "d" && dim != "h")) continue;
      kept.split[i] = {*assignment.mesh.find("a")};
      assignment.kept[v.path] = {kept, "param \"**\" " + dim + ":a"};
      break;
    }
  }
}

void check_cut(const Text& text, const std::vector<std::string>& cut, const std::string& schedule,
               const Mesh& mesh, const lowering_lab::Rules& rules, bool sharded_update) {
  INFO(text.text());
  INFO("stages " << cut.size() << " " << schedule);
  const Model model = model_of(text.text());
  Assignment assignment = place(model, mesh, rules);
  const lowering_lab::Numbers whole = lowering_lab::train(model, place(model, {}, {}));
  assignment.options.shard_update = sharded_update;
  const lowering_lab::Numbers parts =
      lowering_lab::train(model, in_stages(model, assignment, cut, schedule));
  CHECK(lowering_lab::difference(whole, parts) < 1e-9);
}

}  // namespace

TEST_CASE("a model in two stages computes what it computes whole") {
  for (const char* schedule : {"gpipe", "1f1b"}) check_cut({}, {"2"}, schedule, {}, {}, false);
}

TEST_CASE("any cut of any of these models computes what it computes whole") {
  const Mesh mesh{{{"a", 2}, {"b", 2}}};
  for (unsigned seed = 0; seed < 40 / share; ++seed) {
    std::mt19937 random(seed);
    const auto coin = [&] { return random() % 2 == 0; };
    Text text;
    text.layers = 1 + static_cast<int>(random() % 5);
    text.microbatches = coin() ? 2 : 4;
    text.dropout = coin(), text.recompute = coin(), text.clip = coin(), text.shared = coin();
    text.curved = random() % 4 == 0;
    if (coin()) text.optimizer = "sgd(lr=0.1, momentum=0.9)";
    lowering_lab::Rules rules;
    if (coin()) rules["batch"] = "a";
    if (coin())
      rules["h"] = "b";
    else if (coin())
      rules["d"] = "b";
    INFO("seed " << seed);
    check_cut(text, random_cut(random, text.layers), coin() ? "gpipe" : "1f1b", mesh, rules,
              coin());
  }
}

TEST_CASE("stages that gather once a step compute what the model computes whole") {
  for (unsigned seed = 0; seed < 12 / share; ++seed) {
    std::mt19937 random(seed);
    const auto coin = [&] { return random() % 2 == 0; };
    Text text;
    text.layers = 4;
    text.recompute = coin(), text.clip = coin(), text.shared = coin(), text.curved = coin();
    const Model model = model_of(text.text());
    lowering_lab::Rules rules;
    if (coin()) rules["batch"] = "a";
    if (coin()) rules["h"] = "b";
    Assignment assignment = place(model, {{{"a", 2}, {"b", 2}}}, rules);
    assignment.options.shard_update = coin();
    gather_each_step(model, assignment);
    assignment = in_stages(model, assignment, random_cut(random, 4), coin() ? "gpipe" : "1f1b");
    INFO(text.text());
    INFO("seed " << seed);
    CHECK(lowering_lab::difference(lowering_lab::train(model, place(model, {}, {})),
                                   lowering_lab::train(model, assignment)) < 1e-9);
    // First of all each stage prepares its own.
    const PipelineModule module = lowering::lower_pipeline(model, assignment, {});
    CHECK(module.step.front().program == "prepare");
    for (std::size_t stage = 0; stage < module.stages.size(); ++stage) {
      const Program* prepare = module.stages[stage].find("prepare." + std::to_string(stage));
      REQUIRE(prepare != nullptr);
      CHECK(std::any_of(prepare->instructions.begin(), prepare->instructions.end(),
                        [](const Instruction& at) { return name(at.kind) == "all_gather"; }));
    }
  }
}

TEST_CASE("any cut in chunks computes what the model computes whole") {
  const Mesh mesh{{{"a", 2}}};
  for (unsigned seed = 0; seed < 20 / share; ++seed) {
    std::mt19937 random(seed);
    const auto coin = [&] { return random() % 2 == 0; };
    Text text;
    text.layers = 6;
    text.microbatches = coin() ? 2 : 4;
    text.dropout = coin(), text.recompute = coin(), text.clip = coin(), text.shared = coin();
    text.curved = random() % 4 == 0;
    const std::vector<std::vector<std::string>> cuts = {
        {"2"}, {"1", "2", "2", "1"}, {"1"}, {"2", "1", "1", "2"}};
    INFO("seed " << seed);
    const lowering_lab::Rules rules = {{coin() ? "batch" : "h", "a"}};
    check_cut(text, cuts[seed % cuts.size()], "interleaved 2", mesh, rules, coin());
  }
  check_cut({.layers = 6}, {"2"}, "interleaved 3", {}, {}, false);
}

TEST_CASE("ranks of stages compute the bits of simulated meshes, whoever runs first") {
  const Mesh mesh{{{"a", 2}}};
  const char* schedules[] = {"gpipe", "1f1b", "interleaved 2"};
  for (unsigned seed = 0; seed < 9; ++seed) {
    std::mt19937 random(seed);
    const auto coin = [&] { return random() % 2 == 0; };
    Text text;
    text.layers = 4, text.microbatches = coin() ? 2 : 4;
    text.dropout = coin(), text.recompute = coin(), text.clip = coin(), text.shared = coin();
    text.curved = coin();
    const Model model = model_of(text.text());
    Assignment assignment = place(model, mesh, {{coin() ? "batch" : "h", "a"}});
    assignment.options.shard_update = coin();
    assignment = in_stages(model, assignment, {"2"}, schedules[seed % 3]);
    INFO(text.text());
    INFO(schedules[seed % 3]);
    CHECK(lowering_lab::difference(lowering_lab::train(model, assignment),
                                   lowering_lab::train_on_ranks(model, assignment)) == 0);
  }
}

namespace {

/// Meshes of any sizes, one for each stage of which there are as many as the cut says.
std::vector<Mesh> random_meshes(std::mt19937& random, std::size_t stages) {
  std::vector<Mesh> meshes;
  for (std::size_t i = 0; i < stages; ++i)
    meshes.push_back({{{"a", 1 + static_cast<std::int64_t>(random() % 4)},
                       {"b", 1 + static_cast<std::int64_t>(random() % 3)}}});
  return meshes;
}

lowering_lab::Rules random_rules(std::mt19937& random) {
  const std::vector<lowering_lab::Rules> all = {{{"batch", "a"}, {"h", "b"}},
                                                {{"batch", "a"}, {"d", "b"}},
                                                {{"batch", "a"}, {"k", "b"}, {"h", "b"}},
                                                {{"d", "a"}},
                                                {{"h", "a"}, {"batch", "b"}}};
  return all[random() % all.size()];
}

Text random_text(std::mt19937& random) {
  const auto coin = [&] { return random() % 2 == 0; };
  Text text;
  text.layers = 4;
  text.microbatches = coin() ? 2 : 4;
  text.dropout = coin(), text.recompute = coin(), text.clip = coin(), text.shared = coin();
  text.curved = random() % 4 == 0;
  return text;
}

Assignment with_meshes(const Model& model, std::mt19937& random, unsigned seed) {
  const char* schedules[] = {"gpipe", "1f1b", "interleaved 2"};
  const std::string schedule = schedules[seed % 3];
  // Four layers are two chunks for each of two stages.
  const std::vector<Mesh> meshes = random_meshes(random, seed % 3 == 2 ? 2 : 2 + random() % 2);
  Assignment assignment = place(model, widest(meshes), random_rules(random));
  assignment.stage_meshes = meshes;
  assignment.options.shard_update = random() % 2 == 0;
  return in_stages(model, assignment, {std::to_string(meshes.size())}, schedule);
}

}  // namespace

TEST_CASE("stages of different meshes compute what the model computes whole") {
  for (unsigned seed = 0; seed < 40 / share; ++seed) {
    std::mt19937 random(seed);
    const Text text = random_text(random);
    const Model model = model_of(text.text());
    const Assignment assignment = with_meshes(model, random, seed);
    INFO(text.text());
    INFO("seed " << seed << ": " << to_string(meshes_of(assignment)));
    CHECK(lowering_lab::difference(lowering_lab::train(model, place(model, {}, {})),
                                   lowering_lab::train(model, assignment)) < 1e-9);
  }
}

TEST_CASE("ranks of stages of different meshes compute the bits of simulated meshes") {
  for (unsigned seed = 0; seed < 12 / share; ++seed) {
    std::mt19937 random(seed);
    const Text text = random_text(random);
    const Model model = model_of(text.text());
    const Assignment assignment = with_meshes(model, random, seed);
    INFO(text.text());
    INFO("seed " << seed << ": " << to_string(meshes_of(assignment)));
    CHECK(lowering_lab::difference(lowering_lab::train(model, assignment),
                                   lowering_lab::train_on_ranks(model, assignment)) == 0);
  }
}

TEST_CASE("what needs a later stage is no cut") {
  const Model model = model_of(
      "dim batch = 4, d = 2\ninput x[batch, d] from gaussian(seed=1)\n"
      "block layer(x over d) { param w[d] = 1\n  return x * w }\n"
      "a = layer@one(x over d)\nb = layer@two(a over d)\nloss mean(layer@three(b over d))\n"
      "train { optimizer = sgd(lr=0.1)  steps = 1  microbatches = 2 }\n");
  Stages stages;
  stages.count = 2;
  stages.blocks = {{"one", 0}, {"two", 1}, {"three", 0}};
  const Graph& graph = model.microbatch.graph;
  const std::vector<int> of = lowering::stages_of(graph, stages);
  bool falls = false;
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    for (ValueId operand : graph.ops[i].operands)
      falls = falls || of[graph.at(operand).producer.at()] > of[i];
  CHECK(falls);
}

}  // namespace lowering_stages_test
