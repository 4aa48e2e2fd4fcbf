// What `cost` says of a program's memory is what a rank allocates for it.
#include <catch2/catch.hpp>

#include "backends/execute/executor.h"
#include "backends/execute/module_rank.h"
#include "backends/execute/rank_transport.h"
#include "comm/threads.h"
#include "cost/beside_step.h"
#include "cost/cost.h"
#include "lab.h"
#include "lowering/pipeline.h"

namespace lowering_rank_memory_test {

using namespace mtfc;
using namespace lowering_lab;

namespace {

const char* const kModel = R"(
dim batch = 64, io = 24, hidden = 32, out = 6
input x[batch, io] from gaussian(seed=1)
input t[batch, out] from gaussian(seed=2)
param w[io, hidden] ~ normal(0.1)
param b[hidden] = 0
param v[hidden, out] ~ normal(0.1)
h = relu(einsum(x, w over io) + b)
y = softmax(einsum(h, v over hidden) over out)
loss mean((y - t)^2)
train { optimizer = adam(lr=0.1)  steps = 3  clip = 1.0 SETTING }
)";

std::string with(std::string text, const std::string& setting) {
  return text.replace(text.find("SETTING"), 7, setting);
}

/// By a rank of the module's mesh for these programs, which are not run.
std::int64_t allocated(const Module& module, const std::vector<std::string>& programs) {
  const auto ranks = static_cast<int>(module.mesh.processors());
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(ranks)), kept = bytes;
  runtime::net::run_on_threads(ranks, [&](runtime::net::Network& network) {
    runtime::net::Groups groups(network, module.mesh.sizes());
    backends::RankTransport transport({module.dims, module.mesh}, groups);
    backends::Executor executor(module, transport);
    std::int64_t& arena = kept[static_cast<std::size_t>(network.rank())];
    arena -= executor.memory().bytes();
    for (const std::string& program : programs) executor.executable(program);
    bytes[static_cast<std::size_t>(network.rank())] = executor.memory().bytes();
    executor.give_back_memory();
    arena += executor.memory().bytes();
    return 0;
  });
  for (const std::int64_t one : bytes) CHECK(one == bytes[0]);
  for (const std::int64_t one : kept) CHECK(one == 0);  // once all is given back
  return bytes[0];
}

struct Rank : backends::ModuleRank {
  using ModuleRank::ModuleRank;
  using RankEngine::groups;
};

/// Zeros for what a program is fed with.
runtime::Feeds feeds_of(const Module& module, const Program& program) {
  runtime::Feeds feeds;
  for (const Instruction& at : program.instructions) {
    const auto* feed = std::get_if<Feed>(&at.kind);
    if (!feed) continue;
    const TensorType& type = program.at(at.results[0]).type.tensor;
    std::vector<std::int64_t> extents;
    for (const DimId dim : type.dims) extents.push_back(module.dims.size(dim));
    feeds[feed->name] = runtime::HostTensor::zeros(type.dtype, extents);
  }
  return feeds;
}

/// Buffers of asynchronous collectives of a rank that has run some steps.
std::int64_t message_buffers(const Module& module) {
  const auto ranks = static_cast<int>(module.mesh.processors());
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(ranks));
  runtime::net::run_on_threads(ranks, [&](runtime::net::Network& network) {
    Rank rank(module, network, 1);
    std::vector<runtime::Fetched> fetched;
    for (int step = 0; step < 3; ++step)
      for (const StepProgram& one : module.step)
        for (std::int64_t part = 0; part < one.microbatches; ++part)
          rank.run(one.program, feeds_of(module, *module.find(one.program)), fetched);
    bytes[static_cast<std::size_t>(network.rank())] = rank.groups().buffers().bytes();
    return 0;
  });
  for (const std::int64_t one : bytes) CHECK(one == bytes[0]);
  return bytes[0];
}

}  // namespace

TEST_CASE("buffers of asynchronous collectives take what is predicted") {
  const Mesh mesh{{{"rows", 2}, {"cols", 2}}};
  int in_use = 0;
  // As large as sums must be to travel alone.
  std::string large = kModel;
  large.replace(large.find("io = 24, hidden = 32"), 20, "io = 240, hidden = 320");
  for (const char* setting : {"", "microbatches = 4", "precision = bf16", "update = sharded"})
    for (const Rules& rules :
         {Rules{{"batch", "rows"}}, Rules{{"batch", "rows"}, {"hidden", "cols"}},
          Rules{{"io", "rows"}, {"hidden", "cols"}}}) {
      INFO(setting << ", " << rules.size() << " rules");
      const Model model = model_of(with(large, setting));
      const Module module = lowering::lower(model, place(model, mesh, rules), {});
      const cost::Cost cost = cost::cost_of_step(module, all_sources());
      CHECK(message_buffers(module) == cost.message_bytes);
      in_use += cost.message_bytes > 0 ? 1 : 0;
    }
  CHECK(in_use > 5);
}

TEST_CASE("predicted memory is what a rank allocates, for every program of a model") {
  const Mesh mesh{{{"rows", 2}, {"cols", 2}}};
  int programs = 0;
  for (const char* setting : {"", "microbatches = 4", "precision = bf16"})
    for (const Rules& rules :
         {Rules{}, Rules{{"batch", "rows"}}, Rules{{"batch", "rows"}, {"hidden", "cols"}},
          Rules{{"io", "rows"}, {"hidden", "cols"}}}) {
      const Model model = model_of(with(kModel, setting));
      const Module module = lowering::lower(model, place(model, mesh, rules), {});
      std::vector<std::string> names;
      std::int64_t most = 0;
      for (const Program& program : module.programs) {
        INFO(setting << " " << program.name << ", " << rules.size() << " rules");
        const cost::Cost cost = cost::cost_of(module, program, all_sources());
        CHECK(allocated(module, {program.name}) == cost.variable_bytes + cost.arena_bytes);
        CHECK(cost.peak.in_use() + cost.peak.unused == cost.memory_per_processor());
        CHECK(cost.peak.unused >= 0);
        names.push_back(program.name);
        most = std::max(most, cost.variable_bytes + cost.arena_bytes);
        ++programs;
      }
      // All programs share the largest arena.
      CHECK(allocated(module, names) == most);
    }
  CHECK(programs > 40);
}

TEST_CASE("memory for first values and in evaluations is what a rank allocates") {
  const Mesh mesh{{{"rows", 2}}};
  for (const char* setting : {"", "microbatches = 16"}) {
    INFO(setting);
    std::string text = with(kModel, setting);
    text.replace(text.find("batch = 64"), 10, "batch = 4096");
    text += "metric highest = max(h)\n";  // of a whole batch
    const Model model = model_of(text);
    const Module module = lowering::lower(model, place(model, mesh, {{"batch", "rows"}}), {});
    cost::Cost cost = cost::cost_of_step(module, all_sources());
    cost::count_beside_step(module, all_sources(), true, cost);
    CHECK(allocated(module, {"init"}) == cost.first_values_bytes);
    std::vector<std::string> names = {"eval_begin", "eval", "eval_finish"};
    for (const StepProgram& one : module.step) names.push_back(one.program);
    CHECK(cost.evaluation_bytes >= allocated(module, names));
    CHECK(cost.evaluation_bytes <= allocated(module, names) + cost.message_bytes);
    const bool parts = module.step.size() > 1;
    CHECK(cost.most_memory().when == (parts ? "in an evaluation" : ""));
    cost.evaluation_bytes = 0;
    cost::count_beside_step(module, all_sources(), false, cost);
    CHECK(cost.evaluation_bytes == 0);
  }
}

}  // namespace lowering_rank_memory_test
