// What is predicted from types is what the simulator counts.
#include "cost/cost.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "unit/backends/lab.h"

namespace cost_cost_test {

using namespace lab;

namespace {
const AxisId a0 = axis(0), a1 = axis(1);

/// Compares the prediction with the counters of the lab's last run.
void check_cost(Lab& lab) {
  lab.run();
  const cost::Cost cost = cost::cost_of(lab.module, lab.program(), SourceMap{});
  const runtime::Counters counted = lab.counters();
  CHECK(cost.flops_per_processor == counted.flops);
  REQUIRE(cost.collectives.size() == counted.collectives.size());
  for (std::size_t i = 0; i < cost.collectives.size(); ++i) {
    CHECK(cost.collectives[i].kind == counted.collectives[i].kind);
    CHECK(cost.collectives[i].axes == counted.collectives[i].axes);
    CHECK(cost.collectives[i].elements_per_processor == counted.collectives[i].elements);
    CHECK(cost.collectives[i].bytes_per_processor == counted.collectives[i].bytes);
    CHECK(cost.collectives[i].sent_per_processor == counted.collectives[i].sent);
  }
}
}  // namespace

TEST_CASE("cost equals counters for every kind that counts") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId b = lab.dim("b", 8), k = lab.dim("k", 12), n = lab.dim("n", 4);
  const ValueId x = lab.feed(lab.type({b, k}, {{b, {a0}}, {k, {a1}}}));
  const ValueId y = lab.feed(lab.type({k, n}, {{k, {a1}}}));
  const Splits rows = {{b, {a0}}};
  const ValueId z = lab.add(Contract{{k}}, {x, y}, lab.type({b, n}, rows, {a1}));
  const ValueId part =
      lab.add(ReduceScatter{Combine::sum, {n}, a1}, {z}, lab.type({b, n}, {{b, {a0}}, {n, {a1}}}));
  const ValueId moved = lab.add(AllToAll{b, n, a0}, {part}, lab.type({b, n}, {{n, {a1, a0}}}));
  const ValueId half = lab.add(AllGather{{n}, a0}, {moved}, lab.type({b, n}, {{n, {a1}}}));
  const ValueId other = lab.add(Permute{{{n, {a1}, {a0}}}}, {half}, lab.type({b, n}, {{n, {a0}}}));
  const ValueId total = lab.add(Reduce{Combine::sum, {n, b}}, {other}, lab.type({}, {}, {a0}));
  const ValueId sum = lab.add(AllReduce{Combine::sum, {a0}}, {total}, lab.type({}));
  lab.fetch(lab.add(map_of({operand_leaf(0), step_of(ScalarOp::exp, {0}), constant_leaf(2),
                            step_of(ScalarOp::mul, {1, 2})}),
                    {sum}, lab.type({})));
  check_cost(lab);
}

TEST_CASE("cost as JSON") {
  Lab lab({{"rows", 2}});
  const DimId w = lab.dim("w", 6);
  const ShardType type = lab.type({w}, {{w, {a0}}});
  lab.variable("w", type, 1);
  const ValueId whole = lab.add(AllGather{{w}, a0}, {lab.read("w")}, lab.type({w}));
  lab.fetch(whole);
  const auto json =
      nlohmann::json::parse(cost::to_json(cost::cost_of(lab.module, lab.program(), SourceMap{})));
  CHECK(json["processors"] == 2);
  CHECK(json["parameters"] == 6);
  CHECK(json["flops"]["per_processor"] == 0);
  CHECK(json["memory"]["per_processor"] == 64 + 64);
  CHECK(json["collectives"][0]["kind"] == "all_gather");
  CHECK(json["collectives"][0]["elements_per_processor"] == 6);
  CHECK(json["collectives"][0]["bytes_per_processor"] == 24);
}

TEST_CASE("messages in_flight take room together, others one after the other") {
  constexpr std::int64_t one = 4 * 4 * 10;  // bytes of a small sum: what all four send
  for (const bool together : {false, true}) {
    Lab lab({{"rows", 4}});
    const ShardType part = lab.type({lab.dim("w", 10)}, {}, {a0}),
                    whole = lab.type(part.tensor.dims);
    std::vector<ValueId> parts, sums;
    for (int i = 0; i < 3; ++i) parts.push_back(lab.feed(part));
    const auto wait = [&](std::size_t i) {
      lab.fetch(lab.add(Wait{}, {sums[i], parts[i]}, whole));
    };
    Summing how;
    how.async = together;
    for (ValueId x : parts) sums.push_back(lab.add(AllReduce{Combine::sum, {a0}, how}, {x}, whole));
    for (std::size_t i = 0; i < 3 && together; ++i) wait(i);
    const auto cost = cost::cost_of(lab.module, lab.program(), SourceMap{});
    // Those that are not asynchronous are in the arena, one after the other.
    CHECK(cost.message_bytes == (together ? 3 * one : 0));
    CHECK(cost.arena_bytes == (together ? 6 * 64 : 4 * 64 + 192));
  }
}

TEST_CASE("work that nothing splits over an axis is repeated along it") {
  Lab lab({{"rows", 2}, {"cols", 2}, {"one", 1}});
  const DimId b = lab.dim("b", 8), k = lab.dim("k", 12), n = lab.dim("n", 4);
  const ValueId x = lab.feed(lab.type({b, k}, {{b, {a0}}}));
  const ValueId y = lab.feed(lab.type({k, n}));
  const ValueId z = lab.add(Contract{{k}}, {x, y}, lab.type({b, n}, {{b, {a0}}}));
  const ValueId cut = lab.add(Shard{n, a1}, {z}, lab.type({b, n}, {{b, {a0}}, {n, {a1}}}));
  // Shared out over all processors: not repeated.
  lab.fetch(lab.add(map_of({operand_leaf(0), step_of(ScalarOp::exp, {0})}), {cut},
                    lab.type({b, n}, {{b, {a0}}, {n, {a1}}})));
  const cost::Cost cost = cost::cost_of(lab.module, lab.program(), SourceMap{});
  REQUIRE(cost.repeated.size() == 1);
  CHECK(cost.repeated[0].axes == "cols");
  CHECK(cost.repeated[0].times == 2);
  CHECK(cost.repeated[0].flops_per_processor == 2 * 4 * 12 * 4);
  // All four together do the product twice.
  CHECK(4 * cost.repeated_flops() == 2 * 8 * 12 * 4);
}

}  // namespace cost_cost_test
