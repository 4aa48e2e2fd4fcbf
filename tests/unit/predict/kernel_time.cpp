// What kernels take besides FLOPs and bytes, on machines that say it: closed forms.
#include "predict/kernel_time.h"

#include <catch2/catch.hpp>

#include "predict/least_squares.h"
#include "unit/predict/lab.h"

namespace predict_kernel_time_test {

using namespace predict_lab;
using cost::KernelWork;
using cost::Work;

namespace {

/// A chip of 100 FLOP/s, 10 for what is no product, 20 B/s.
Chip chip_with(const std::string& fields) {
  const ReadMachine read_one = read("chip flops=100F vector=10F mem=1000B hbm=20B/s " + fields);
  INFO(read_one.messages);
  REQUIRE(read_one.machine);
  return read_one.machine->chip;
}

Work work_with(const KernelWork& kernel, double flops, double bytes, bool product = false) {
  Work work;
  work.kind = product ? Work::Kind::product : Work::Kind::other;
  work.flops = flops;
  work.bytes = bytes;
  work.kernel = std::make_shared<const KernelWork>(kernel);
  return work;
}

double seconds(const Work& work, const std::string& fields) {
  const Chip chip = chip_with(fields);
  return kernel_time(work, chip).seconds(chip);
}

}  // namespace

TEST_CASE("a chip that says nothing of its kernels has a roofline alone") {
  KernelWork kernel;
  kernel.tasks = 1;
  kernel.calls = kernel.turned = 1;
  kernel.runs = kernel.samples = kernel.steps = 1e6;
  kernel.far_bytes = 60;
  CHECK(seconds(work_with(kernel, 500, 60, true), "") == Approx(5));
  CHECK(seconds(work_with(kernel, 50, 60), "launch=1s") == Approx(5));
  CHECK_FALSE(chip_with("launch=1s overlap=50%").detail().kernels);
  CHECK(chip_with("cache=24MB cache_bw=1GB/s").detail().cache == 24000000);
}

TEST_CASE("what is not beside the longest adds up") {
  const Work work = work_with({}, 500, 60, true);
  CHECK(seconds(work, "launch=2s overlap=100%") == Approx(5));
  CHECK(seconds(work, "launch=2s overlap=0%") == Approx(5 + 3 + 2));
  CHECK(seconds(work, "launch=2s overlap=40%") == Approx(5 + 0.6 * (3 + 2)));
  CHECK(seconds(work, "launch=9s overlap=0%") == Approx(5 + 3 + 9));
}

TEST_CASE("tasks that threads cannot share evenly") {
  KernelWork kernel;
  kernel.moved = 80;
  for (const auto& [tasks, longer] : {std::pair{1, 4.0}, {3, 4.0 / 3}, {4, 1.0}, {5, 1.6}}) {
    kernel.tasks = tasks;
    CHECK(seconds(work_with(kernel, 0, 0), "threads=4") == Approx(8 * longer));
  }
}

TEST_CASE("calls of a product, and what they turn") {
  KernelWork kernel;
  kernel.calls = 6;
  kernel.turned = 10;
  const Work work = work_with(kernel, 500, 0, true);
  CHECK(seconds(work, "call=3s") == Approx(5 + 6 * 3));
  CHECK(seconds(work, "call=3s turn=2s") == Approx(5 + 6 * 3 + 10 * 2));
  // Seconds of one thread of two, which share an even number of tasks.
  kernel.tasks = 6;
  CHECK(seconds(work_with(kernel, 500, 0, true), "threads=2 call=3s") == Approx(5 + 6 * 3 / 2.0));
}

TEST_CASE("steps, runs, places, samples and slow operations of a map") {
  KernelWork kernel;
  kernel.steps = 3;
  kernel.runs = 5;
  kernel.seeks = 7;
  kernel.samples = 40;
  kernel.operations[static_cast<std::size_t>(ScalarOp::exp)] = 20;
  kernel.operations[static_cast<std::size_t>(ScalarOp::add)] = 30;
  const Work work = work_with(kernel, 50, 0);
  CHECK(seconds(work, "step=1s") == Approx(5 + 3));
  CHECK(seconds(work, "run=1s") == Approx(5 + 5));
  CHECK(seconds(work, "seek=1s") == Approx(5 + 7));
  CHECK(seconds(work, "random=10F") == Approx(5 + 4));
  CHECK(seconds(work, "exp=1F") == Approx(20 + 3));
}

TEST_CASE("bytes that a cache holds, and those that it does not") {
  KernelWork kernel;
  kernel.far_bytes = 40;
  CHECK(seconds(work_with(kernel, 0, 100), "cache=1kB cache_bw=60B/s") == Approx(40 / 20.0 + 1));
  kernel.tasks = 1;  // the cache is as fast as the threads that read it
  CHECK(seconds(work_with(kernel, 0, 100), "cache=1kB cache_bw=60B/s threads=2") ==
        Approx(40 / 20.0 + 2));
  const Chip chip = chip_with("cache=1kB cache_bw=60B/s");
  kernel.tasks = 1;
  CHECK(least_seconds(work_with(kernel, 0, 120), chip) == Approx(2));
  CHECK(least_seconds(work_with(kernel, 0, 120), chip_with("cache=1kB cache_bw=5B/s")) ==
        Approx(6));
  kernel.far_bytes = 1000;  // of operands that are read in part
  CHECK(seconds(work_with(kernel, 0, 100), "cache=1kB cache_bw=60B/s") == Approx(5));
}

TEST_CASE("a message is copied together and apart") {
  Work work;
  work.kind = Work::Kind::collective;
  KernelWork kernel;
  kernel.packed = 30;
  kernel.copies = 4;
  work.kernel = std::make_shared<const KernelWork>(kernel);
  CHECK(message_seconds(work, chip_with("launch=1s cache=1kB cache_bw=24B/s")) == Approx(4 + 10));
  CHECK(message_seconds(work, chip_with("launch=1s")) == 0);
}

TEST_CASE("unknowns from measurements") {
  const std::vector<std::vector<double>> equations = {{1, 2}, {3, 1}, {100, 5}};
  const std::vector<double> exact = least_squares(equations, {8, 9, 215});
  CHECK(exact[0] == Approx(2));
  CHECK(exact[1] == Approx(3));
  // Each in proportion: 1 and 3 for the same thing are nearest to 1.2, not to 2.
  CHECK(least_squares({{1}, {1}}, {1, 3})[0] == Approx((1 + 1 / 3.0) / (1 + 1 / 9.0)));
  // What would be negative is 0, and the others are found without it.
  const std::vector<double> without = least_squares({{1, 1}, {1, 2}}, {2, 1});
  CHECK(without[1] == 0);
  CHECK(without[0] == Approx((0.5 + 1) / (0.25 + 1)));
  // What no equation has, and no equations.
  CHECK(least_squares({{2, 0}}, {6}) == std::vector<double>{3, 0});
  CHECK(least_squares({}, {}).empty());
}

}  // namespace predict_kernel_time_test
