// Times of programs written by hand, on a chip of 100 FLOP/s, 10 for what is no product, 20 B/s.
#include <catch2/catch.hpp>

#include "unit/predict/lab.h"

namespace predict_predict_test {

using namespace predict_lab;
using cost::Work;

namespace {

Work product(double flops, double bytes) {
  Work work;
  work.kind = Work::Kind::product;
  work.flops = work.products = flops;
  work.bytes = bytes;
  return work;
}
Work other(double flops, double bytes) {
  Work work = product(flops, bytes);
  work.kind = Work::Kind::other;
  work.products = 0;
  return work;
}
/// On two processors with 10 B/s between them: as many seconds as its tenth.
Work permute(double bytes, bool async = false) {
  Work work;
  work.kind = Work::Kind::collective;
  work.exchange = runtime::ExchangeSpec::Kind::permute;
  work.axes = {AxisId{0}};
  work.bytes = bytes;
  work.async = async;
  return work;
}
Work wait(std::size_t started) {
  Work work;
  work.kind = Work::Kind::wait;
  work.started = started;
  return work;
}

Prediction run(const std::vector<Work>& instructions, const std::string& chip = "",
               std::int64_t times = 1) {
  const Mesh mesh = mesh_of("a=2");
  const ReadMachine read_one = read(
      "chip flops=100F vector=10F mem=1000B hbm=20B/s " + chip + "\nlink a switch bw=10B/s", mesh);
  REQUIRE(read_one.machine);
  cost::Cost cost;
  cost.variable_bytes = 600;
  cost.arena_bytes = 300;
  cost.work.push_back({"train", times, instructions});
  return predict::predict(cost, *read_one.machine, map_mesh(mesh, *read_one.machine).value());
}

/// The parts are the whole.
void check_parts(const Prediction& p) {
  CHECK(p.products + p.others + p.memory + p.launches + p.exposed == Approx(p.step));
  CHECK(p.hidden >= 0);
}

}  // namespace

TEST_CASE("a roofline for each instruction") {
  const Prediction p =
      run({product(500, 20), product(100, 60), other(50, 20), other(10, 80), Work()});
  CHECK(p.products == Approx(5));
  CHECK(p.others == Approx(5));
  CHECK(p.memory == Approx(3 + 4));
  CHECK(p.exposed == 0);
  CHECK(p.step == Approx(17));
  CHECK(p.hfu() == Approx(6.0 / 17));
  CHECK(p.mfu() == p.hfu());
  CHECK(p.fits());
  check_parts(p);
}

TEST_CASE("efficiencies, and what a kernel takes at least") {
  CHECK(run({product(500, 20)}, "eff=50%").step == Approx(10));
  CHECK(run({product(500, 200)}, "hbm_eff=50%").step == Approx(20));
  const Prediction short_ones = run({product(5, 1), other(1, 1), product(300, 0)}, "launch=2s");
  CHECK(short_ones.step == Approx(7));
  CHECK(short_ones.launches == Approx(4));
  check_parts(short_ones);
  CHECK(run({product(500, 20)}, "launch=2s").step == Approx(5));
  // The peak of the element type.
  Work half = product(500, 20);
  half.dtype = DType::bf16;
  CHECK(run({half, product(500, 20)}, "bf16=500F").step == Approx(1 + 5));
}

TEST_CASE("communication is waited for where it is complete") {
  const Prediction p = run({product(500, 0), permute(40), product(500, 0)});
  CHECK(p.step == Approx(14));
  CHECK(p.exposed == Approx(4));
  CHECK(p.hidden == 0);
  check_parts(p);
}

TEST_CASE("what is started early is beside what is computed until its wait") {
  const Prediction hidden = run({permute(40, true), product(500, 0), wait(0)});
  CHECK(hidden.step == Approx(5));
  CHECK(hidden.exposed == 0);
  CHECK(hidden.hidden == Approx(4));
  const Prediction partly = run({permute(80, true), product(500, 0), wait(0)});
  CHECK(partly.step == Approx(8));
  CHECK(partly.exposed == Approx(3));
  CHECK(partly.hidden == Approx(5));
  check_parts(partly);
}

TEST_CASE("of what is started early the processor's own share is done at once") {
  const std::vector<Work> program = {permute(40, true), product(500, 0), wait(0)};
  const Prediction none = run(program, "comm_overlap=0%");
  CHECK(none.step == Approx(9));
  CHECK(none.exposed == Approx(4));
  CHECK(none.hidden == Approx(0));
  const Prediction most = run(program, "comm_overlap=75%");
  CHECK(most.step == Approx(6));
  CHECK(most.exposed == Approx(1));
  CHECK(most.hidden == Approx(3));
  check_parts(most);
  // Nothing is waited for twice.
  const Prediction rest = run({permute(80, true), product(500, 0), wait(0)}, "comm_overlap=75%");
  CHECK(rest.step == Approx(8));
  CHECK(rest.exposed == Approx(3));
  check_parts(rest);
}

TEST_CASE("one collective at a time, in the order in which they start") {
  // Two that are started together take their turns; one that is waited for comes behind them.
  const Prediction both = run(
      {permute(40, true), permute(30, true), product(500, 0), wait(0), product(50, 0), wait(1)});
  CHECK(both.step == Approx(7));
  CHECK(both.exposed == Approx(1.5));
  const Prediction behind = run({permute(40, true), permute(10), product(200, 0), wait(0)});
  CHECK(behind.step == Approx(5 + 2));
  CHECK(behind.exposed == Approx(5));
  check_parts(both);
  check_parts(behind);
}

TEST_CASE("a program that runs for each micro-batch counts as often") {
  const Prediction p = run({product(500, 0), permute(40)}, "", 3);
  CHECK(p.step == Approx(27));
  CHECK(p.exposed == Approx(12));
  CHECK(p.peak_all == Approx(15));
}

TEST_CASE("MFU leaves out what is computed again or on several processors") {
  Work again = product(500, 0), twice = product(500, 0);
  again.again = 500;
  twice.times = 2;
  const Prediction p = run({product(500, 0), again, twice});
  CHECK(p.hfu() == Approx(1));
  CHECK(p.mfu() == Approx(0.5));
}

TEST_CASE("memory that is not there") {
  CHECK(run({}).fits());
  const Mesh mesh = mesh_of("a=2");
  const Machine machine = with_links("link a switch bw=10B/s", mesh);
  cost::Cost cost;
  cost.variable_bytes = 1001;
  const Prediction p = predict::predict(cost, machine, map_mesh(mesh, machine).value());
  CHECK_FALSE(p.fits());
  CHECK(p.step == 0);
  CHECK(p.mfu() == 0);
}

}  // namespace predict_predict_test
