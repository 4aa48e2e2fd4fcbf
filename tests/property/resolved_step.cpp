// Random programs: what `resolve` says of a step, operation by operation, is what its programs
// send when they are lowered.
#include <catch2/catch.hpp>

#include "cost/cost.h"
#include "lowering/pipeline.h"
#include "lowering/spmd/resolve_step.h"
#include "random_model.h"
#include "unit/support/nightly.h"

namespace property_resolved_step_test {

using namespace mtfc;

namespace {

cost::Cost cost_after_lower(lowering::State& state, lowering::ResolvedStep& resolved) {
  for (const lowering::Pass& pass : lowering::passes()) {
    const bool lowers = pass.name == std::string("lower");
    if (lowers) resolved = lowering::resolve_step(state);
    lowering::run(pass, state);
    if (lowers) break;
  }
  return cost::cost_of_step(state.made.module, {});
}

}  // namespace

TEST_CASE("random programs: what is resolved is what is sent", "[property]") {
  unsigned sending = 0;
  const unsigned cases = test::rounds(600);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const std::optional<test::RandomStep> step = test::random_step(seed);
    if (!step) continue;
    const auto& [model, assignment, operations] = *step;
    INFO("seed " << seed << ", " << operations << " operations");
    lowering::State state = lowering::start(model, assignment, {});
    lowering::ResolvedStep resolved;
    const cost::Cost cost = cost_after_lower(state, resolved);
    double sent = 0;
    for (const cost::CollectiveCost& one : cost.collectives)
      sent += static_cast<double>(one.sent_per_processor);
    CHECK(resolved.sent_bytes == Approx(sent).margin(0.5));
    CHECK(resolved.collectives == static_cast<std::int64_t>(cost.collectives.size()));
    sending += sent > 0;
  }
  CHECK(sending > cases / 3);
}

}  // namespace property_resolved_step_test
