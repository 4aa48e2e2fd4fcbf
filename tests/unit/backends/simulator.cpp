// Variables, what a step reads and writes, and what it counts.
#include <catch2/catch.hpp>

#include "lab.h"

namespace backends_simulator_test {

using namespace lab;

namespace {
const AxisId a0 = axis(0), a1 = axis(1);

Map plus(double value) {
  return map_of({operand_leaf(0), constant_leaf(value), step_of(ScalarOp::add, {0, 1})});
}
Map times() { return map_of({operand_leaf(0), operand_leaf(1), step_of(ScalarOp::mul, {0, 1})}); }
}  // namespace

TEST_CASE("a variable is updated in its own memory, step after step") {
  Lab lab({{"rows", 2}});
  const DimId w = lab.dim("w", 4);
  const ShardType type = lab.type({w}, {{w, {a0}}});
  lab.variable("w", type, 1);
  const ValueId old = lab.read("w");
  lab.fetch(old);
  lab.write("w", lab.add(plus(2), {old}, type));
  CHECK(lab.run(3)[0].data == std::vector<double>(4, 5));
  CHECK(lab.variable_after("w").data == std::vector<double>(4, 7));
}

TEST_CASE("every read sees the value before the step") {
  Lab lab({{"rows", 2}});
  const DimId w = lab.dim("w", 4);
  const ShardType type = lab.type({w}, {{w, {a0}}});
  lab.variable("a", type, 1);
  lab.variable("b", type, 10);
  lab.variable("c", type, 100);
  const ValueId a = lab.read("a");
  lab.write("a", lab.add(plus(1), {a}, type));  // before the last reads of a
  const ValueId again = lab.read("a");
  const ValueId b = lab.read("b");
  lab.write("c", b);  // swaps by way of the host's eyes: c takes b, b takes a + b
  lab.write("b", lab.add(map_of({operand_leaf(0), operand_leaf(1), step_of(ScalarOp::add, {0, 1})}),
                         {again, b}, type));
  const Tensor fetched = (lab.fetch(again), lab.run(2)[0]);
  CHECK(fetched.data == std::vector<double>(4, 2));
  CHECK(lab.variable_after("a").data == std::vector<double>(4, 3));
  CHECK(lab.variable_after("b").data == std::vector<double>(4, 13));
  CHECK(lab.variable_after("c").data == std::vector<double>(4, 11));
}

TEST_CASE("two variables can be exchanged") {
  Lab lab({{"rows", 2}});
  const DimId w = lab.dim("w", 4);
  lab.variable("a", lab.type({w}), 1);
  lab.variable("b", lab.type({w}), 2);
  const ValueId a = lab.read("a"), b = lab.read("b");
  lab.write("a", b);
  lab.write("b", a);
  lab.run(3);
  CHECK(lab.variable_after("a").data == std::vector<double>(4, 2));
  CHECK(lab.variable_after("b").data == std::vector<double>(4, 1));
}

TEST_CASE("a variable can hold a pending sum") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId w = lab.dim("w", 4);
  const ShardType type = lab.type({w}, {{w, {a1}}}, {a0});
  lab.variable("sum", type, 3);
  const ValueId old = lab.read("sum");
  const ValueId twice = lab.add(
      map_of({operand_leaf(0), operand_leaf(0), step_of(ScalarOp::add, {0, 1})}), {old}, type);
  lab.write("sum", twice);
  lab.run(2);
  CHECK(lab.variable_after("sum").data == std::vector<double>(4, 12));
}

TEST_CASE("several results of one map in the place of its operands") {
  Lab lab({{"rows", 2}});
  const DimId b = lab.dim("b", 2000), w = lab.dim("w", 6);
  const ShardType type = lab.type({b, w}, {{b, {a0}}});
  lab.variable("x", type, 3);
  lab.variable("y", type, 5);
  const ValueId x = lab.read("x"), y = lab.read("y");
  Map map = map_of({operand_leaf(0), operand_leaf(1), step_of(ScalarOp::add, {0, 1}),
                    step_of(ScalarOp::mul, {0, 2}), step_of(ScalarOp::sub, {1, 0})});
  map.body.results = {2, 3, 4};
  const ValueId sum = lab.add(map, {x, y}, type);
  std::vector<ValueId> results = {sum};
  for (int i = 0; i < 2; ++i) {
    results.push_back(next_id<ValueId>(lab.program().values));
    lab.program().values.push_back({type, ""});
    lab.program().instructions.back().results.push_back(results.back());
  }
  lab.write("y", sum);
  lab.write("x", results[1]);
  lab.fetch(results[2]);
  CHECK(lab.run()[0].data == std::vector<double>(12000, 2));
  CHECK(lab.variable_after("x").data == std::vector<double>(12000, 24));
  CHECK(lab.variable_after("y").data == std::vector<double>(12000, 8));
}

TEST_CASE("what is equal on several processors is held once") {
  Lab lab({{"rows", 16}, {"cols", 16}});
  const DimId b = lab.dim("b", 16), h = lab.dim("h", 32);
  const ValueId x = lab.feed(lab.type({b}, {{b, {a0}}}));
  const ValueId y = lab.feed(lab.type({h}));
  lab.fetch(lab.add(times(), {x, y}, lab.type({b, h}, {{b, {a0}}})));
  CHECK(lab.run()[0].data ==
        lab.tensor({b, h}, [&](const Point& at) { return lab.fed(x)[at] * lab.fed(y)[at]; }).data);
}

TEST_CASE("replicas that differ are named, and the program ends all the same") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId k = lab.dim("k", 8);
  lab.variable("w", lab.type({k}, {{k, {a0, a1}}}), 0);
  const ValueId parts =
      lab.add(Reduce{Combine::sum, {k}}, {lab.read("w")}, lab.type({}, {}, {a0, a1}));
  // A mistake: the sum is still to be added up over `cols`.
  lab.fetch(lab.add(AllReduce{Combine::sum, {a0}}, {parts}, lab.type({})));
  backends::Simulator simulator(lab.module, backends::SimulatorOptions{1, true});
  runtime::HostTensor w = runtime::HostTensor::zeros(DType::f32, {8});
  for (int i = 0; i < 8; ++i) w.as<float>()[i] = static_cast<float>(i);
  simulator.set_variable("w", w);
  for (int step = 0; step < 2; ++step) {
    std::vector<runtime::Fetched> fetched;
    simulator.run("p", {}, fetched);
    CHECK(fetched.size() == 1);
    CHECK_THAT(simulator.replica_error(),
               Catch::Contains("instruction 2") && Catch::Contains("differs from its replicas"));
  }
}

TEST_CASE("counters are those of one processor") {
  Lab lab({{"rows", 2}, {"cols", 4}});
  const DimId b = lab.dim("b", 8), k = lab.dim("k", 16), n = lab.dim("n", 6);
  const ValueId x = lab.feed(lab.type({b, k}, {{b, {a0}}, {k, {a1}}}));
  const ValueId y = lab.feed(lab.type({k, n}, {{k, {a1}}}));
  const Splits rows = {{b, {a0}}};
  const ValueId z = lab.add(Contract{{k}}, {x, y}, lab.type({b, n}, rows, {a1}));
  const ValueId sum = lab.add(AllReduce{Combine::sum, {a1}}, {z}, lab.type({b, n}, rows));
  const ValueId whole = lab.add(AllGather{{b}, a0}, {sum}, lab.type({b, n}));
  lab.fetch(lab.add(plus(1), {whole}, lab.type({b, n})));
  backends::Simulator simulator(lab.module, {1, false});
  std::vector<runtime::Fetched> fetched;
  runtime::Feeds feeds;
  feeds["in0"] = runtime::HostTensor::zeros(DType::f32, {8, 16});
  feeds["in1"] = runtime::HostTensor::zeros(DType::f32, {16, 6});
  simulator.run("p", feeds, fetched);
  const runtime::Counters counted = simulator.counters("p");
  CHECK(counted.flops == 2 * 4 * 4 * 6 + 8 * 6);
  REQUIRE(counted.collectives.size() == 2);
  CHECK(counted.collectives[0].kind == "all_reduce");
  CHECK(counted.collectives[0].axes == "cols");
  CHECK(counted.collectives[0].elements == 4 * 6);
  CHECK(counted.collectives[0].bytes == 4 * 4 * 6);
  CHECK(counted.collectives[1].kind == "all_gather");
  CHECK(counted.collectives[1].elements == 8 * 6);
}

}  // namespace backends_simulator_test
