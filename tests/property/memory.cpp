// Random programs: micro-batches and recomputation leave losses and gradients as they are.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "backends/execute/simulator.h"
#include "ir/verify.h"
#include "lowering/graph/microbatch/split_batch.h"
#include "lowering/pipeline.h"
#include "random_model.h"
#include "support/program_names.h"
#include "train/loop/step.h"
#include "unit/support/nightly.h"

namespace property_memory_test {

using namespace mtfc;

namespace {

using Numbers = std::map<std::string, runtime::HostTensor>;

/// Losses and gradients of one step.
Numbers step(const Model& model, const Assignment& assignment, bool replicas) {
  Module module = lowering::lower(model, assignment, {});
  REQUIRE(verify(module) == "");
  backends::Simulator simulator(std::move(module), {1, replicas});
  runtime::Feeds feeds;
  feeds.emplace(feed_names::step, runtime::HostTensor::zeros(DType::i32, {}));
  for (const Input& input : model.inputs) {
    std::vector<std::int64_t> extents;
    for (DimId dim : input.type.dims) extents.push_back(model.dims.size(dim));
    runtime::HostTensor tensor = runtime::HostTensor::zeros(DType::f64, extents);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      tensor.as<double>()[i] = std::sin(static_cast<double>(3 * i + 1));
    feeds.emplace(input.name, tensor);
  }
  std::vector<runtime::Fetched> fetched;
  simulator.run("init", {}, fetched);
  runtime::StepRunner(simulator.module().step).run(simulator, feeds, fetched);
  CHECK(simulator.replica_error() == "");
  Numbers numbers;
  for (const runtime::Fetched& f : fetched) numbers[f.name] = f.value;
  return numbers;
}

std::string difference(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return "other gradients";
  for (const auto& [name, x] : a) {
    if (b.count(name) == 0) return name + " is missing";
    const runtime::HostTensor& y = b.at(name);
    double most = 0, scale = 1e-3;
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      most = std::fmax(most, std::fabs(x.as<double>()[i] - y.as<double>()[i]));
      scale = std::fmax(scale, std::fabs(x.as<double>()[i]));
    }
    if (!(most <= 1e-9 * scale)) return name + " differs by " + std::to_string(most / scale);
  }
  return "";
}

/// A dimension of the parts lies where its whole one lies.
Assignment follow(Assignment assignment, const Model& model) {
  assignment.dims.resize(model.dims.size());
  for (const ExampleDim& d : model.microbatch.dims) {
    std::int64_t parts = 1;
    for (AxisId axis : assignment.axes(d.batch)) parts *= assignment.mesh.size(axis);
    if (model.dims.size(d.micro) % parts != 0) assignment.dims[d.batch.at()] = {};
    assignment.dims[d.micro.at()] = assignment.dims[d.batch.at()];
  }
  return assignment;
}

}  // namespace

TEST_CASE("random programs: micro-batches equal the whole batch where nothing is warned of") {
  unsigned compared = 0;
  const unsigned cases = test::rounds(400);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const int operations = 2 + static_cast<int>(seed % 7);
    const test::Extras extras{true, seed % 3 == 0};
    const Model plain = test::random_model(seed, operations, extras);
    Model model = plain;
    model.settings.microbatches = seed % 2 == 0 ? 2 : 4;
    Diagnostics found;
    if (!lowering::split_batch(model, found) || found.warnings() > 0) continue;
    ++compared;
    INFO("seed " << seed << ", " << operations << " operations");
    const Assignment assignment = follow(test::random_assignment(seed, plain), model);
    const Numbers whole = step(plain, test::whole_assignment(plain), false);
    CHECK(difference(whole, step(model, assignment, seed % 5 == 0)) == "");
  }
  CHECK(compared > cases / 5);
}

TEST_CASE("random programs: recomputation equals keeping") {
  for (std::uint64_t seed = 0; seed < test::rounds(150); ++seed) {
    const int operations = 4 + static_cast<int>(seed % 12);
    const Model kept = test::random_model(seed, operations);
    const Model made = test::random_model(seed, operations, {false, true});
    INFO("seed " << seed << ", " << operations << " operations");
    const Assignment assignment = test::random_assignment(seed, kept);
    CHECK(difference(step(kept, assignment, false), step(made, assignment, seed % 5 == 0)) == "");
  }
}

}  // namespace property_memory_test
