// Loss scaling against a reference in double precision, steps that overflow and are skipped
// included.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "backends/execute/simulator.h"
#include "frontend/elaborate/elaborate.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/graph/microbatch/split_batch.h"
#include "lowering/pipeline.h"
#include "messages/render.h"
#include "support/program_names.h"
#include "train/loop/step.h"

namespace lowering_graph_loss_scale_test {

using namespace mtfc;

namespace {

constexpr int kBatch = 8, kD = 4;

Model model_of(const std::string& settings) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file =
      sources.add("test.mtf",
                  "dim batch = 8, d = 4\ninput x[batch, d] from gaussian(seed=1)\n"
                  "input y[batch] from gaussian(seed=2)\nparam w[d] = 0.5\n"
                  "state seen: int = 0\nupdate seen = seen + 1\n"
                  "loss mean((einsum(x, w over d) - y) ^ 2)\n"
                  "train { optimizer = momentum(lr=0.125, beta=0.5)  clip = 0.5  steps = 20 " +
                      settings + " }");
  auto model = elaborate(sources, file, {}, diagnostics);
  if (model && !lowering::split_batch(*model, diagnostics)) model.reset();
  std::string told;
  for (const Diagnostic& d : diagnostics.all()) told += render_text(d, sources, {});
  INFO(told);
  REQUIRE(model);
  return *model;
}

/// Small numbers that every type holds; y is far off in the steps 3 and 4.
double x_at(int step, int b, int i) { return ((step * 5 + b * 3 + i * 7) % 9 - 4) / 8.0; }
double y_at(int step, int b) { return step == 3 || step == 4 ? 64 : ((step + b) % 5 - 2) / 4.0; }

runtime::Feeds feeds_of(int step) {
  runtime::Feeds feeds;
  runtime::HostTensor x = runtime::HostTensor::zeros(DType::f32, {kBatch, kD}),
                      y = runtime::HostTensor::zeros(DType::f32, {kBatch}),
                      number = runtime::HostTensor::zeros(DType::i32, {});
  for (int b = 0; b < kBatch; ++b) {
    y.as<float>()[b] = static_cast<float>(y_at(step, b));
    for (int i = 0; i < kD; ++i) x.as<float>()[b * kD + i] = static_cast<float>(x_at(step, b, i));
  }
  *number.as<std::int32_t>() = step;
  feeds.emplace("x", x);
  feeds.emplace("y", y);
  feeds.emplace(feed_names::step, number);
  return feeds;
}

/// The same training in doubles. `limit`: a scaled gradient of a prediction beyond it is infinite.
struct Reference {
  double scale, limit;
  int growth;
  std::vector<double> w = std::vector<double>(kD, 0.5), m = std::vector<double>(kD, 0);
  int seen = 0, good = 0, skipped = 0;

  void step(int number) {
    std::vector<double> g(kD, 0);
    bool fine = true;
    for (int b = 0; b < kBatch; ++b) {
      double error = -y_at(number, b);
      for (int i = 0; i < kD; ++i) error += x_at(number, b, i) * w[static_cast<std::size_t>(i)];
      const double slope = 2 * error / kBatch;
      fine = fine && std::fabs(slope * scale) < limit;
      for (int i = 0; i < kD; ++i) g[static_cast<std::size_t>(i)] += slope * x_at(number, b, i);
    }
    if (growth > 0 && !fine) {
      ++skipped;
      good = 0;
      scale = std::max(scale / 2, 1.0);
      return;
    }
    double norm = 0;
    for (const double v : g) norm += v * v;
    const double clip = std::min(1.0, 0.5 / (std::sqrt(norm) + 1e-6));
    for (std::size_t i = 0; i < w.size(); ++i) {
      m[i] = 0.5 * m[i] + clip * g[i];
      w[i] -= 0.125 * m[i];
    }
    ++seen;
    if (growth == 0) return;
    if (++good >= growth) {
      scale *= 2;
      good = 0;
    }
  }
};

void check(const Model& model, const char* split, Reference reference, double tolerance) {
  Assignment assignment;
  assignment.mesh.axes = {{"rows", 2}};
  assignment.dims.resize(model.dims.size());
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    if (model.dims.all()[d].name == split) assignment.dims[d] = {{AxisId{0}}, 0, "test"};
  }
  Module module = lowering::lower(model, assignment, {});
  REQUIRE(verify(module) == "");
  std::string error;
  const auto again = parse_module(print(module), error);
  REQUIRE(again);
  CHECK(print(*again) == print(module));
  const bool dynamic = reference.growth > 0;
  runtime::StepRunner runner(module.step);
  backends::Simulator simulator(std::move(module), {2, true});
  std::vector<runtime::Fetched> fetched;
  simulator.run("init", {}, fetched);
  for (int step = 0; step < 14; ++step) {
    INFO("split " << split << ", step " << step);
    const double scale = reference.scale;
    const int skipped = reference.skipped;
    fetched.clear();
    runner.run(simulator, feeds_of(step), fetched);
    REQUIRE(simulator.replica_error() == "");
    reference.step(step);
    const runtime::HostTensor w = simulator.variable("w"), m = simulator.variable("optimizer.m.w");
    for (std::size_t i = 0; i < kD; ++i) {
      CHECK(static_cast<double>(w.as<float>()[i]) ==
            Approx(reference.w[i]).epsilon(0).margin(tolerance));
      CHECK(static_cast<double>(m.as<float>()[i]) ==
            Approx(reference.m[i]).epsilon(0).margin(8 * tolerance));
    }
    CHECK(simulator.variable("seen").scalar() == reference.seen);
    if (!dynamic) continue;
    CHECK(simulator.variable("optimizer.loss_scale").scalar() == reference.scale);
    CHECK(simulator.variable("optimizer.good_steps").scalar() == reference.good);
    for (const runtime::Fetched& f : fetched) {
      if (f.name == "loss_scale") CHECK(f.value.scalar() == scale);
      if (f.name == "skipped") CHECK(f.value.scalar() == reference.skipped - skipped);
    }
  }
  if (dynamic) CHECK(reference.skipped > 0);
}

void check_all(const std::string& settings, const Reference& reference, double tolerance) {
  const Model model = model_of(settings);
  for (const char* split : {"", "batch", "d"}) check(model, split, reference, tolerance);
}

}  // namespace

TEST_CASE("a fixed loss scale changes nothing but what vanishes") {
  check_all("", {1, INFINITY, 0}, 2e-6);
  check_all("loss_scale = 1024", {1024, INFINITY, 0}, 2e-6);
  check_all("loss_scale = 1000  precision = bf16", {1000, INFINITY, 0}, 1e-2);
  check_all("loss_scale = 256  precision = f16", {256, INFINITY, 0}, 1e-3);
  check_all("loss_scale = 1024  microbatches = 4", {1024, INFINITY, 0}, 2e-6);
}

TEST_CASE("a dynamic loss scale skips steps that overflow, halves, and doubles after good ones") {
  const std::string dynamic = "loss_scale = dynamic(init=16384, growth=3)";
  const Reference f16{16384, 65520, 3};
  check_all(dynamic + "  precision = f16", f16, 1e-3);
  check_all(dynamic + "  precision = f16  microbatches = 2", f16, 1e-3);
  // f32 overflows where numbers are much larger.
  Model model = model_of("loss_scale = dynamic(init=16777216)");
  Module module = lowering::lower(model, {}, {});
  backends::Simulator simulator(std::move(module), {1, false});
  std::vector<runtime::Fetched> fetched;
  simulator.run("init", {}, fetched);
  runtime::Feeds feeds = feeds_of(0);
  feeds.at("y").as<float>()[0] = 1e32f;  // the loss itself overflows, and so do its gradients
  feeds.at("x").as<float>()[0] = 1e32f;
  simulator.run("train", feeds, fetched);
  for (int i = 0; i < kD; ++i) CHECK(simulator.variable("w").as<float>()[i] == 0.5f);
  CHECK(simulator.variable("optimizer.loss_scale").scalar() == 8388608);
}

TEST_CASE("a gradient too small for f16 arrives where the loss is scaled") {
  const auto moved = [](const std::string& scale) {
    SourceMap sources;
    Diagnostics diagnostics;
    const auto model = elaborate(
        sources,
        sources.add("test.mtf",
                    "dim batch = 8, d = 4\ninput x[batch, d] from gaussian(seed=1)\n"
                    "param w[d] = 0.5\nloss mean(einsum(x, w over d) ^ 2) * 1e-7\n"
                    "train { optimizer = sgd(lr=1e7)  steps = 1  precision = f16  loss_scale = " +
                        scale + " }"),
        {}, diagnostics);
    REQUIRE(model);
    backends::Simulator simulator(lowering::lower(*model, {}, {}), {1, false});
    std::vector<runtime::Fetched> fetched;
    simulator.run("init", {}, fetched);
    simulator.run("train", feeds_of(0), fetched);
    return std::fabs(simulator.variable("w").as<float>()[0] - 0.5f);
  };
  CHECK(moved("1") == 0);
  CHECK(moved("65536") > 0.001f);
  CHECK(moved("dynamic") == moved("65536"));
}

TEST_CASE("f16 scales by itself, other precisions do not") {
  const auto scale = [](const std::string& settings) {
    return model_of(settings).settings.loss_scale;
  };
  CHECK(scale("").value == 1);
  CHECK(scale("precision = bf16").growth == 0);
  CHECK(scale("precision = f16").value == 65536);
  CHECK(scale("precision = f16").growth == 2000);
  CHECK(scale("precision = f16  loss_scale = 1").value == 1);
  CHECK(scale("precision = f16  loss_scale = 1").growth == 0);
  CHECK(scale("precision = f16  loss_scale = dynamic").growth == 2000);
  CHECK(scale("loss_scale = dynamic(init=2)").value == 2);
  CHECK(scale("loss_scale = dynamic(4096, 10)").growth == 10);
}

}  // namespace lowering_graph_loss_scale_test
