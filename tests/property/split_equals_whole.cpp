// Random programs on random meshes under random layouts: split equals whole, in values and
// gradients; gradients equal finite differences; replicas agree; counters equal the prediction.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

#include "backends/execute/simulated_mesh.h"
#include "backends/execute/simulator.h"
#include "ir/in_f64.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/state_text.h"
#include "optim/optimizers.h"
#include "random_model.h"
#include "support/program_names.h"
#include "unit/support/nightly.h"

namespace property_split_equals_whole_test {

using namespace mtfc;

namespace {

double largest(const runtime::HostTensor& t) {
  double most = 0;
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    const double v = std::fabs(t.as<double>()[i]);
    if (v > most || std::isnan(v)) most = v;
  }
  return most;
}

double difference(const runtime::HostTensor& a, const runtime::HostTensor& b) {
  double most = 0;
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const double d = std::fabs(a.as<double>()[i] - b.as<double>()[i]);
    if (d > most || std::isnan(d)) most = d;
  }
  return most;
}

/// The first line that is another one.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  for (std::string x, y; std::getline(left, x) && std::getline(right, y);)
    if (x != y) return x + " / " + y;
  return "one is longer";
}

/// Verifies what every pass makes, and that its text reads back to the same.
std::string check(const lowering::State& state, const lowering::Pass& pass,
                  const lowering::State& before) {
  const std::string name = "after " + std::string(pass.name) + ", ";
  if (std::string error = lowering::verify(state, pass.stage); !error.empty()) return name + error;
  const std::string text = lowering::print(state, pass);
  lowering::State again = before;
  std::string error;
  const lowering::Pass* found = lowering::read_state(text, again, error);
  if (found != &pass) return name + "the text does not read back: " + error;
  const std::string second = lowering::print(again, pass);
  return second == text ? "" : name + "the text changes: " + first_difference(text, second);
}

/// One seed of eight, any number of operations in turn.
bool with_texts(std::uint64_t seed) { return seed % 8 == seed / 8 % 8; }

/// The module, with all of that checked where `texts` asks for it: eight times the time of the
/// rest.
Module lower(const Model& model, const Assignment& assignment, bool texts, std::string& error) {
  const lowering::State before = lowering::start(model, assignment, {});
  lowering::State state = before;
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, state);
    if (texts && error.empty()) error = check(state, pass, before);
  }
  return std::move(state.made.module);
}

struct Run {
  std::string error;
  std::vector<runtime::Fetched> fetched;
};

runtime::Feeds step_feed() {
  runtime::Feeds feeds;
  feeds.emplace(feed_names::step, runtime::HostTensor::zeros(DType::i32, {}));
  return feeds;
}

Run run(Module module, bool replicas) {
  Run result;
  backends::Simulator simulator(std::move(module), {1, replicas});
  std::vector<runtime::Fetched> nothing;
  simulator.run("init", {}, nothing);
  simulator.run("train", step_feed(), result.fetched);
  result.error = simulator.replica_error();
  return result;
}

Run run(const Model& model, const Assignment& assignment, bool texts, bool replicas) {
  std::string error;
  Module module = lower(model, assignment, texts, error);
  return error.empty() ? run(std::move(module), replicas) : Run{error, {}};
}

/// Collectives that are packed give the bits of each alone.
std::string packing_failure(const Model& model, const Assignment& assignment) {
  std::map<std::string, Module> made;
  lowering::State state = lowering::start(model, assignment, {});
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, state);
    made[pass.name] = state.made.module;
  }
  const Module &before = made["batch-updates"], &after = made["bucket-collectives"];
  if (print(before) == print(after)) return "";
  const Run alone = run(before, false);
  const Run packed = run(after, false);
  const auto same = [](const runtime::Fetched& a, const runtime::Fetched& b) {
    return a.name == b.name && a.value.data == b.value.data;
  };
  return std::equal(alone.fetched.begin(), alone.fetched.end(), packed.fetched.begin(),
                    packed.fetched.end(), same)
             ? ""
             : "packed collectives give other bits";
}

/// "" if the model's graphs read back as they are printed.
std::string dump_failure(const Model& model) {
  for (const Graph* graph : {&model.init, &model.train, &model.eval}) {
    std::string error;
    const auto again = parse_graph(print(*graph, model.dims), model.dims, error);
    if (!again) return "the dump of a graph does not parse: " + error;
    if (*again != *graph)
      return "a graph changes when read back: " +
             first_difference(print(*graph, model.dims), print(*again, model.dims));
  }
  return "";
}

/// "" if the model behaves; else what is wrong.
std::string failure(std::uint64_t seed, int operations) {
  const Model model = test::random_model(seed, operations);
  const bool texts = with_texts(seed);
  if (texts)
    if (std::string wrong = dump_failure(model); !wrong.empty()) return wrong;
  const Assignment assignment = test::random_assignment(seed, model);
  const Run whole = run(model, test::whole_assignment(model), false, false);
  if (!whole.error.empty()) return "whole: " + whole.error;
  const Run split = run(model, assignment, texts, seed % 4 == 0);
  if (!split.error.empty()) return "split: " + split.error;
  if (seed % 4 == 1)
    if (std::string error = packing_failure(model, assignment); !error.empty()) return error;
  if (whole.fetched.size() != split.fetched.size()) return "other results are fetched";
  for (std::size_t i = 0; i < whole.fetched.size(); ++i) {
    const double scale = std::max(1e-3, largest(whole.fetched[i].value));
    const double off = difference(whole.fetched[i].value, split.fetched[i].value);
    if (!(off <= 1e-9 * scale)) {
      return whole.fetched[i].name + " differs by " + std::to_string(off / scale);
    }
  }
  return "";
}

int with_padding = 0;  // how many of the programs below needed it

/// Variables after some steps, with the sharded update and without.
std::string update_failure(std::uint64_t seed, int operations) {
  Model model = test::random_model(seed, operations);
  const std::vector<optim::Optimizer>& all = optim::optimizers();
  model.settings.present = true;
  model.settings.steps = 3;
  model.settings.clip = seed % 2 == 0 ? 0.5 : 0;
  if (seed % 3 == 0) model.settings.loss_scale = {1024, 2};
  model.settings.optimizer = test::called(all[seed / 2 % all.size()], 0.01);
  Assignment assignment = test::random_assignment(seed, model, 2);
  std::vector<std::unique_ptr<backends::Simulator>> simulators;
  for (const bool sharded : {false, true}) {
    assignment.options.shard_update = sharded;
    std::string error;
    Module module = lower(model, assignment, with_texts(seed), error);
    if (!error.empty()) return error;
    const auto& dims = module.dims.all();
    with_padding +=
        std::any_of(dims.begin(), dims.end(), [](const Dim& d) { return d.pads.valid(); });
    auto simulator = std::make_unique<backends::Simulator>(std::move(module),
                                                           backends::SimulatorOptions{1, sharded});
    std::vector<runtime::Fetched> nothing;
    simulator->run("init", {}, nothing);
    for (int step = 0; step < 3; ++step) simulator->run("train", step_feed(), nothing);
    if (!simulator->replica_error().empty()) return simulator->replica_error();
    simulators.push_back(std::move(simulator));
  }
  for (const runtime::VariableInfo& info : simulators[0]->variables()) {
    const runtime::HostTensor a = simulators[0]->variable(info.path);
    const runtime::HostTensor b = simulators[1]->variable(info.path);
    if (a.extents != b.extents) return info.path + " has another shape";
    if (a.dtype != DType::f64) continue;
    const double off = difference(a, b), scale = std::max(1e-3, largest(a));
    if (!(off <= 1e-7 * scale)) return info.path + " differs by " + std::to_string(off / scale);
  }
  return "";
}

int sums_at_once = 0, tiled_ranges = 0;  // how many the programs below have

/// In f32, whose products have kernels of their own.
std::string cache_failure(std::uint64_t seed, int operations) {
  const Model model = test::random_model(seed, operations);
  const Module module =
      with_floats(lowering::lower(model, test::random_assignment(seed, model, 2), {}), DType::f32);
  backends::SimulatedMesh mesh({module.dims, module.mesh}, false);
  backends::Executor executor(module, mesh, {.in_place = true, .least_sum = 0, .least_tile = 1});
  const backends::Executable& train = executor.executable("train");
  sums_at_once += static_cast<int>(train.summed_parts().size() + train.sums_of_products().size());
  tiled_ranges += static_cast<int>(train.tiled().size());
  const auto fetched = [&](std::int64_t least_sum, std::int64_t least_tile) {
    backends::Simulator simulator(module, {2, false, least_sum, least_tile});
    std::vector<runtime::Fetched> values;
    simulator.run("init", {}, values);
    values.clear();
    simulator.run("train", step_feed(), values);
    return values;
  };
  constexpr std::int64_t never = INT64_MAX / 4;
  const std::vector<runtime::Fetched> stored = fetched(never, never);
  for (const bool tiles : {false, true}) {
    const std::vector<runtime::Fetched> cached = tiles ? fetched(never, 1) : fetched(0, never);
    for (std::size_t i = 0; i < stored.size(); ++i)
      if (cached[i].value.data != stored[i].value.data)
        return stored[i].name + " has other bits " + (tiles ? "tile by tile" : "added at once");
  }
  return "";
}

/// d loss / d parameter, at a few places, against central differences.
std::string gradient_failure(std::uint64_t seed, int operations) {
  const Model model = test::random_model(seed, operations);
  backends::Simulator simulator(lowering::lower(model, test::whole_assignment(model), {}),
                                {1, false});
  std::vector<runtime::Fetched> fetched, moved;
  simulator.run("init", {}, fetched);
  simulator.run("train", step_feed(), fetched);
  for (const runtime::Fetched& f : fetched) {
    if (f.name.rfind("grad.", 0) != 0) continue;
    const std::string path = f.name.substr(5);
    const runtime::HostTensor before = simulator.variable(path);
    for (std::int64_t i = 0; i < before.elements(); i += 1 + before.elements() / 3) {
      const auto slope_over = [&](double h) {
        double loss[2];
        for (int side = 0; side < 2; ++side) {
          runtime::HostTensor shifted = before;
          shifted.as<double>()[i] += side ? -h : h;
          simulator.set_variable(path, shifted);
          moved.clear();
          simulator.run("train", step_feed(), moved);
          loss[side] = moved[0].value.scalar();
        }
        simulator.set_variable(path, before);
        return (loss[0] - loss[1]) / (2 * h);
      };
      const double slope = slope_over(1e-6), exact = f.value.as<double>()[i];
      if (!(std::fabs(slope - exact) <= 2e-5 * std::max(1.0, std::fabs(exact)))) {
        // A comparison flips between the two points: the difference of a jump grows as they
        // approach each other, or is gone.
        const double closer = slope_over(2.5e-7);
        if (std::fabs(closer - slope) > 0.5 * std::max(std::fabs(slope), std::fabs(closer)))
          continue;
        return f.name + "[" + std::to_string(i) + "] is " + std::to_string(exact) +
               ", differences give " + std::to_string(slope);
      }
    }
  }
  return "";
}

/// The fewest operations with which it still fails, and the program.
std::string shrunk(std::uint64_t seed, int operations, std::string (*fails)(std::uint64_t, int)) {
  std::string why = fails(seed, operations);
  for (int n = 0; n < operations; ++n) {
    const std::string earlier = fails(seed, n);
    if (earlier.empty()) continue;
    why = earlier;
    operations = n;
    break;
  }
  const Model model = test::random_model(seed, operations);
  const Assignment assignment = test::random_assignment(seed, model);
  std::string layout;
  for (const auto& entry : assignment.dims)
    layout += entry.cause.empty() ? "" : entry.cause.str() + ";";
  for (const Variable& v : model.variables)
    if (const auto kept = assignment.kept.find(v.path); kept != assignment.kept.end())
      layout += " " + v.path + " kept as " +
                to_string(model.dims, assignment.mesh, {v.type, kept->second.sharding});
  std::string mesh;
  for (const MeshAxis& axis : assignment.mesh.axes)
    mesh += axis.name + ":" + std::to_string(axis.size) + ";";
  return "seed " + std::to_string(seed) + ", " + std::to_string(operations) + " operations, mesh " +
         mesh + " layout " + layout + "\n" + why + "\n" + print(model.train, model.dims);
}

/// MTFC_PROPERTY_SEED: from where.
std::uint64_t first_seed() {
  const char* text = std::getenv("MTFC_PROPERTY_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

int try_all(std::string (*fails)(std::uint64_t, int)) {
  const auto begin = std::chrono::steady_clock::now();
  int tried = 0;
  for (std::uint64_t seed = first_seed();; ++seed) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (spent.count() > test::property_seconds()) break;
    const int operations = 3 + static_cast<int>(seed % 12);
    if (!fails(seed, operations).empty()) FAIL(shrunk(seed, operations, fails));
    ++tried;
  }
  return tried;
}

}  // namespace

TEST_CASE("a random program gives the same values and gradients split and whole") {
  const int tried = try_all(failure);
  WARN(tried << " programs, split against whole");
  CHECK(tried > 0);
}

TEST_CASE("a random program is trained alike with the sharded update and without") {
  const int tried = try_all(update_failure);
  WARN(tried << " programs with both updates, " << with_padding << " with padding");
  CHECK(tried > 0);
}

TEST_CASE("what a random program has in the cache alone has the bits of what is stored") {
  const int tried = try_all(cache_failure);
  WARN(tried << " programs, with " << sums_at_once << " sums, " << tiled_ranges << " in tiles");
  CHECK(sums_at_once > 0);
  CHECK(tiled_ranges > 0);
}

TEST_CASE("gradients of a random program are finite differences") {
  const int tried = try_all(gradient_failure);
  WARN(tried << " programs against finite differences");
  CHECK(tried > 0);
}

}  // namespace property_split_equals_whole_test
