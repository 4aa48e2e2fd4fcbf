// What `cost` says of a step's memory is what a rank allocates: for every layout that ships at
// night, one of three for each change.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/execute/executor.h"
#include "backends/execute/rank_transport.h"
#include "comm/threads.h"
#include "cost/cost.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "lab.h"
#include "layout/check_summary.h"
#include "lowering/pipeline.h"
#include "unit/support/shipped_layouts.h"

namespace lowering_shelf_memory_test {

using namespace mtfc;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Variables and arena of one rank of the mesh, which runs nothing. All have shards of one size.
std::int64_t allocated(const Module& module) {
  std::int64_t bytes = 0;
  const auto ranks = static_cast<int>(module.mesh.processors());
  runtime::net::run_on_threads(ranks, [&](runtime::net::Network& network) {
    runtime::net::Groups groups(network, module.mesh.sizes());
    if (network.rank() > 0) return 0;
    backends::RankTransport transport({module.dims, module.mesh}, groups);
    backends::Executor executor(module, transport);
    for (const StepProgram& step : module.step) executor.executable(step.program);
    bytes = executor.memory().bytes();
    return 0;
  });
  return bytes;
}

}  // namespace

TEST_CASE("predicted memory is what a rank allocates, for layouts that ship") {
  const fs::path models = fs::path(MTFC_SOURCE_DIR) / "models";
  int checked = 0;
  for (const fs::path& path : test::shipped_layouts(models)) {
    INFO(path);
    SourceMap sources;
    Diagnostics diagnostics, of_layout;
    const fs::path model_path = models / (path.parent_path().filename().string() + ".mtf");
    const std::string text = text_of(model_path);
    std::optional<Model> model = elaborate(sources, sources.add(model_path.string(), text),
                                           {test::shipped_sizes(text), {}, {}}, diagnostics);
    REQUIRE(model);
    const auto layout = parse_layout(sources, sources.add(path.string(), text_of(path)), of_layout);
    const auto report =
        lowering::check_layout(path.string(), layout, of_layout, std::nullopt, *model, sources);
    REQUIRE(report.assignment);
    const Module module = lowering::lower(*model, *report.assignment, {});
    const cost::Cost cost = cost::cost_of_step(module, sources);
    CHECK(allocated(module) == cost.variable_bytes + cost.arena_bytes);
    ++checked;
  }
  CHECK(checked > (test::is_nightly() ? 60 : 20));
}

}  // namespace lowering_shelf_memory_test
