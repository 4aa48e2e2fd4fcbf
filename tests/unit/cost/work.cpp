// What each instruction of a program written by hand asks of a machine.
#include "cost/work.h"

#include <catch2/catch.hpp>

#include "cost/cost.h"
#include "unit/backends/lab.h"

namespace cost_work_test {

using namespace lab;
using cost::Work;

namespace {

const AxisId a0 = axis(0);

std::vector<Work> work_of(Lab& lab) {
  return cost::cost_of(lab.module, lab.program(), SourceMap{}).work.at(0).instructions;
}

}  // namespace

TEST_CASE("products, maps and collectives with their bytes") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId b = lab.dim("b", 8), k = lab.dim("k", 12), n = lab.dim("n", 4);
  const ValueId x = lab.feed(lab.type({b, k}, {{b, {a0}}}));
  const ValueId y = lab.feed(lab.type({k, n}));
  const ShardType made = lab.type({b, n}, {{b, {a0}}});
  const ValueId z = lab.add(Contract{{k}}, {x, y}, made);
  const ValueId e = lab.add(map_of({operand_leaf(0), step_of(ScalarOp::exp, {0})}), {z}, made);
  lab.fetch(lab.add(AllGather{{b}, a0}, {e}, lab.type({b, n})));
  const std::vector<Work> work = work_of(lab);
  REQUIRE(work.size() == 6);
  CHECK(work[0].kind == Work::Kind::none);  // fed
  CHECK(work[2].kind == Work::Kind::product);
  CHECK(work[2].flops == 2 * 4 * 12 * 4);
  CHECK(work[2].bytes == 4 * (4 * 12 + 12 * 4 + 4 * 4));
  CHECK(work[2].times == 2);
  CHECK(work[3].kind == Work::Kind::other);
  CHECK(work[3].flops == 4 * 4);
  CHECK(work[3].bytes == 4 * (4 * 4 + 4 * 4));
  CHECK(work[4].kind == Work::Kind::collective);
  CHECK(work[4].exchange == runtime::ExchangeSpec::Kind::all_gather);
  CHECK(work[4].bytes == 4 * 8 * 4);
  CHECK(work[4].axes == std::vector<AxisId>{a0});
  CHECK_FALSE(work[4].async);
  CHECK(work[5].kind == Work::Kind::none);  // fetched
}

TEST_CASE("what selects reads as much as it writes, views nothing") {
  Lab lab({{"rows", 2}});
  const DimId b = lab.dim("b", 100), s = lab.dim("s", 10), v = lab.dim("v", 1000);
  const ValueId table = lab.feed(lab.type({v}));
  const ValueId ids = lab.feed(lab.type({b}, {}, {}, DType::i32), [](auto i) { return i; });
  const ValueId found = lab.add(Gather{{v}}, {table, ids}, lab.type({b}));
  lab.fetch(lab.add(Slice{b, s, 20}, {found}, lab.type({s})));
  lab.fetch(found);
  const std::vector<Work> work = work_of(lab);
  CHECK(work[2].bytes == 4 * (100 + 100 + 100));
  CHECK(work[3].bytes == 4 * (10 + 10));
}

TEST_CASE("a wait knows the collective that it completes") {
  Lab lab({{"rows", 4}});
  const ShardType part = lab.type({lab.dim("w", 10)}, {}, {a0}), whole = lab.type(part.tensor.dims);
  Summing how;
  how.async = true;
  const ValueId x = lab.feed(part), y = lab.feed(part);
  const ValueId first = lab.add(AllReduce{Combine::sum, {a0}, how}, {x}, whole);
  const ValueId second = lab.add(AllReduce{Combine::sum, {a0}, how}, {y}, whole);
  lab.fetch(lab.add(Wait{}, {second, y}, whole));
  lab.fetch(lab.add(Wait{}, {first, x}, whole));
  const std::vector<Work> work = work_of(lab);
  std::vector<std::size_t> waited;
  for (const Work& one : work)
    if (one.kind == Work::Kind::wait) waited.push_back(one.started);
  CHECK(waited == std::vector<std::size_t>{3, 2});
  CHECK(work[2].async);
  CHECK(work[2].bytes == 40);
}

}  // namespace cost_work_test
