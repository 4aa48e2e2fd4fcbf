// What is alive where a program needs the most memory, and that a rank allocates as much.
#include "cost/peak.h"

#include <catch2/catch.hpp>

#include "backends/execute/executor.h"
#include "backends/execute/rank_transport.h"
#include "comm/threads.h"
#include "cost/cost.h"
#include "unit/backends/lab.h"

namespace cost_peak_test {

using namespace lab;
using cost::MemoryRole;

namespace {
const AxisId a0 = axis(0);

Map sum_of_two() {
  return map_of({operand_leaf(0), operand_leaf(1), step_of(ScalarOp::add, {0, 1})});
}

void set_role(Lab& lab, StepRole::Kind kind, const std::string& parameter = "") {
  lab.program().instructions.back().role = {kind, parameter, 0, "", {}};
}

/// What each of two ranks allocates for the program "p", which is not run.
std::int64_t allocated(const Lab& lab) {
  std::int64_t bytes[2] = {};
  runtime::net::run_on_threads(2, [&](runtime::net::Network& network) {
    runtime::net::Groups groups(network, {2});
    backends::RankTransport transport({lab.module.dims, lab.module.mesh}, groups);
    backends::Executor executor(lab.module, transport);
    executor.executable("p");
    bytes[network.rank()] = executor.memory().bytes();
    return 0;
  });
  CHECK(bytes[0] == bytes[1]);
  return bytes[0];
}

cost::Cost cost_of(Lab& lab) {
  const auto cost = cost::cost_of(lab.module, lab.program(), SourceMap{});
  std::int64_t roles = 0;
  for (const MemoryRole role : cost::all_memory_roles) roles += cost.peak.in_use(role);
  CHECK(roles + cost.peak.unused == cost.memory_per_processor());
  CHECK(cost.peak.unused >= 0);
  CHECK(allocated(lab) == cost.variable_bytes + cost.arena_bytes);
  return cost;
}
}  // namespace

TEST_CASE("the peak of memory, by hand") {
  Lab lab({{"rows", 2}});
  const DimId d = lab.dim("d", 64);
  const ShardType whole = lab.type({d});
  lab.variable("v", lab.type({d}, {{d, {a0}}}), 1);                            // 128 bytes
  const ValueId v = lab.add(AllGather{{d}, a0}, {lab.read("v")}, whole);       // 256
  const ValueId x = lab.feed(lab.type({d}, {}, {a0}));                         // 256
  const ValueId sum = lab.add(AllReduce{Combine::sum, {a0}, {}}, {x}, whole);  // 256
  lab.fetch(lab.add(sum_of_two(), {v, sum}, whole));                           // in v's place
  const cost::Cost cost = cost_of(lab);
  CHECK(cost.peak.instruction == "all_reduce");
  CHECK(cost.peak.in_use(MemoryRole::parameters) == 128);
  CHECK(cost.peak.in_use(MemoryRole::gathered) == 256);
  CHECK(cost.peak.in_use(MemoryRole::activations) == 512);
  CHECK(cost.peak.in_use(MemoryRole::messages) == 512);  // a small sum: what both send
  CHECK(cost.memory_per_processor() == 128 + 256 + 512 + 512);
}

TEST_CASE("gradients are what the weight update is given, and what was summed to become that") {
  for (const bool async : {false, true}) {
    Lab lab({{"rows", 2}});
    const DimId d = lab.dim("d", 64), b = lab.dim("b", 64);
    const ShardType whole = lab.type({d});
    lab.variable("w", whole, 1);
    const ValueId w = lab.read("w");
    const ValueId x = lab.feed(lab.type({b, d}, {{b, {a0}}}));  // 8192 bytes
    const ValueId part = lab.add(Reduce{Combine::sum, {b}}, {x}, lab.type({d}, {}, {a0}));
    set_role(lab, StepRole::Kind::gradient);
    Summing how;
    how.async = async;
    ValueId sum = lab.add(AllReduce{Combine::sum, {a0}, how}, {part}, whole);
    set_role(lab, StepRole::Kind::gradient);
    if (async) {
      sum = lab.add(Wait{}, {sum, part}, whole);
      set_role(lab, StepRole::Kind::gradient);
    }
    const ValueId changed = lab.add(sum_of_two(), {w, sum}, whole);
    set_role(lab, StepRole::Kind::update, "w");
    lab.write("w", changed);
    lab.fetch(lab.add(Rearrange{}, {x}, lab.type({b, d}, {{b, {a0}}})));  // x lives to the end
    const cost::Cost cost = cost_of(lab);
    CHECK(cost.peak.in_use(MemoryRole::parameters) == 256);
    CHECK(cost.peak.in_use(MemoryRole::gradients) == 512);
    CHECK(cost.peak.in_use(MemoryRole::activations) == 8192);
    CHECK(cost.peak.in_use(MemoryRole::update) == 0);  // computed in the variable's memory
    CHECK(cost.peak.in_use(MemoryRole::messages) == 512);
    CHECK(cost.message_bytes == (async ? 512 : 0));
  }
}

}  // namespace cost_peak_test
