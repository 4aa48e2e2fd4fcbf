// How kernels go about instructions: read from their plans, and what a cache does not hold.
#include "cost/kernel_work.h"

#include <catch2/catch.hpp>

#include "cost/cost.h"
#include "kernels/contract_plan.h"
#include "kernels/map_plan.h"
#include "unit/backends/lab.h"

namespace cost_kernel_work_test {

using namespace lab;
using cost::KernelWork;
using cost::Work;

namespace {

runtime::ContractSpec product_of(std::int64_t batch, std::int64_t m, std::int64_t n,
                                 std::int64_t k) {
  runtime::ContractSpec spec;
  spec.a = spec.b = spec.c = DType::f32;
  spec.batch = {{batch, m * k, k * n, m * n}};
  spec.m = {{m, k, 0, n}};
  spec.n = {{n, 0, 1, 1}};
  spec.k = {{k, 1, n, 0}};
  return spec;
}

double times(const KernelWork& work, ScalarOp op) {
  return work.operations[static_cast<std::size_t>(op)];
}

std::vector<Work> detailed(Lab& lab, std::int64_t cache) {
  return cost::cost_of(lab.module, lab.program(), SourceMap{}, {true, cache})
      .work.at(0)
      .instructions;
}

}  // namespace

TEST_CASE("a product in the calls that it is cut in") {
  const auto spec = product_of(6, 2000, 300, 200);
  const auto plan = plan_contract(spec);
  const KernelWork work = cost::kernel_work_of(spec);
  CHECK(work.tasks == plan.tasks());
  CHECK(work.calls == static_cast<double>(6 * plan.slabs));
  CHECK(work.turned == 0);
  // Transposed on the right: every call turns all of it, or a copy before them.
  for (const std::int64_t rows : {20, 2000}) {
    auto turned = product_of(6, rows, 300, 200);
    turned.n = {{300, 0, 200, 1}};
    turned.k = {{200, 1, 1, 0}};
    const auto turned_plan = plan_contract(turned);
    REQUIRE(turned_plan.call.b_transposed == (rows == 20));
    const std::int64_t times = rows == 20 ? 6 * turned_plan.slabs : 6;
    CHECK(cost::kernel_work_of(turned).turned == static_cast<double>(times * 300 * 200));
  }
}

TEST_CASE("a map's operations, as often as its plan has them done") {
  // max(x, y) * exp(r), r one number per row.
  runtime::MapSpec spec;
  spec.extents = {64, 4096};
  spec.operands = {{DType::f32, {4096, 1}}, {DType::f32, {4096, 1}}, {DType::f32, {1, 0}}};
  spec.body.code = {operand_leaf(0),
                    operand_leaf(1),
                    operand_leaf(2),
                    step_of(ScalarOp::max, {0, 1}),
                    step_of(ScalarOp::exp, {2}),
                    step_of(ScalarOp::mul, {3, 4})};
  spec.body.results = {5};
  const auto plan = plan_map(spec);
  const KernelWork work = cost::kernel_work_of(spec);
  CHECK(work.tasks == plan.tasks());
  CHECK(times(work, ScalarOp::max) == 64 * 4096);
  CHECK(times(work, ScalarOp::mul) == 64 * 4096);
  CHECK(times(work, ScalarOp::exp) == 64);
  CHECK(times(work, ScalarOp::sub) == 0);
  CHECK(work.samples == 0);
  // Two in one step count as one.
  spec.body.code[3].op = ScalarOp::add;
  const KernelWork paired = cost::kernel_work_of(spec);
  CHECK(times(paired, ScalarOp::add) + times(paired, ScalarOp::mul) == 64 * 4096);
  CHECK(paired.steps < work.steps);
}

TEST_CASE("only who asks is told, and a cache holds what fits") {
  Lab lab({});
  const ShardType type = lab.type({lab.dim("n", 1000)});
  const ValueId x = lab.feed(type), y = lab.feed(type);
  const auto sum = map_of({operand_leaf(0), operand_leaf(1), step_of(ScalarOp::add, {0, 1})});
  const ValueId z = lab.add(sum, {x, y}, type);
  lab.fetch(lab.add(sum, {z, y}, type));
  CHECK(cost::cost_of(lab.module, lab.program(), SourceMap{}).work.at(0).instructions[2].kernel ==
        nullptr);
  const auto far = [&](std::int64_t cache) {
    double bytes = 0;
    for (const Work& work : detailed(lab, cache))
      if (work.kernel) bytes += work.kernel->far_bytes;
    return bytes;
  };
  CHECK(far(1000000) == 0);  // the run before left it all there
  CHECK(far(0) == 0);        // nobody asked
  CHECK(far(64) > 4 * 4 * 1000);
  CHECK(far(64) <= 4 * 6 * 1000);
  REQUIRE(detailed(lab, 0)[2].kernel);
  CHECK(times(*detailed(lab, 0)[2].kernel, ScalarOp::add) == 1000);
}

}  // namespace cost_kernel_work_test
