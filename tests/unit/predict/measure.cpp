// Descriptions of measured machines.
#include <catch2/catch.hpp>

#include "predict/measure.h"
#include "unit/predict/lab.h"
#include "unit/support/nightly.h"

namespace predict_measure_test {

using namespace predict_lab;

namespace {

/// What a layout with this description means.
Machine read_again(const std::string& text, const Mesh& mesh) {
  const std::size_t begin = text.find('{') + 1;
  const ReadMachine machine = read(text.substr(begin, text.rfind('}') - begin), mesh);
  INFO(machine.messages);
  REQUIRE(machine.machine);
  return *machine.machine;
}

}  // namespace

TEST_CASE("a description says what was measured") {
  Machine machine;
  machine.name = "here";
  machine.chip.peaks = {1.51e11, 4.24e10, 9.99e14, 123};
  machine.chip.vector_peak = 6.43e9;
  machine.chip.memory = 2.53e10;
  machine.chip.bandwidth = 2.02e10;
  machine.chip.launch = 2.21e-7;
  Level level;
  level.name = "ranks";
  level.size = 4;
  level.bandwidth = 4.25e8;
  level.latency = 1.94e-5;
  level.sum_rate = 7.1e9;
  KernelCosts& kernels = machine.chip.kernels;
  machine.chip.overlap = 0;
  machine.chip.comm_overlap = 0.25;
  kernels.known = true;
  kernels.threads = 2;
  kernels.turn = 3.6e-10;
  kernels.call = 5.7e-8;
  kernels.step = 1.9e-8;
  kernels.run = 2.1e-9;
  kernels.seek = 1.2e-8;
  kernels.samples = 2.2e9;
  kernels.cache = 2.4e7;
  kernels.cache_rate = 1.5e11;
  kernels.operations[static_cast<std::size_t>(ScalarOp::sin)] = 6.2e8;
  machine.levels.push_back(level);
  const Machine again = read_again(description(machine), mesh_of("a=4"));
  for (std::size_t i = 0; i < Chip::types; ++i)
    CHECK(again.chip.peaks[i] == Approx(machine.chip.peaks[i]).epsilon(0.006));
  CHECK(again.chip.vector_peak == Approx(machine.chip.vector_peak).epsilon(0.006));
  CHECK(again.chip.memory == Approx(machine.chip.memory).epsilon(0.006));
  CHECK(again.chip.bandwidth == Approx(machine.chip.bandwidth).epsilon(0.006));
  CHECK(again.chip.launch == Approx(machine.chip.launch).epsilon(0.006));
  const KernelCosts& read_kernels = again.chip.kernels;
  CHECK(again.chip.overlap == 0);
  CHECK(again.chip.comm_overlap == 0.25);
  CHECK(read_kernels.known);
  CHECK(read_kernels.threads == 2);
  for (double KernelCosts::*field :
       {&KernelCosts::call, &KernelCosts::turn, &KernelCosts::step, &KernelCosts::run,
        &KernelCosts::seek, &KernelCosts::samples, &KernelCosts::cache, &KernelCosts::cache_rate})
    CHECK(read_kernels.*field == Approx(kernels.*field).epsilon(0.006));
  for (std::size_t op = 0; op < kernels.operations.size(); ++op)
    CHECK(read_kernels.operations[op] == Approx(kernels.operations[op]).epsilon(0.006));
  REQUIRE(again.levels.size() == 1);
  CHECK(again.levels[0].sum_rate == Approx(level.sum_rate).epsilon(0.006));
  CHECK(again.levels[0].size == 4);
  CHECK(again.levels[0].bandwidth == Approx(level.bandwidth).epsilon(0.006));
  CHECK(again.levels[0].latency == Approx(level.latency).epsilon(0.006));
}

TEST_CASE("what is measured here can be read") {
  if (!test::is_nightly()) return;  // cli.here measures, and reads what it says
  runtime::Pool pool(1);
  const Machine machine = measure(pool, runtime::net::alone());
  CHECK(machine.levels.empty());
  for (const double peak : machine.chip.peaks) CHECK(peak > 1e6);
  CHECK(machine.chip.bandwidth > 1e6);
  CHECK(machine.chip.launch >= 0);  // a difference: 0 where others disturb it
  CHECK(machine.chip.launch < 1e-2);
  CHECK(machine.chip.kernels.known);
  CHECK(machine.chip.kernels.cache >= 1e6);
  CHECK(machine.chip.kernels.cache_rate > 1e6);
  CHECK(machine.chip.kernels.samples > 1e5);
  read_again(description(machine), {});
}

}  // namespace predict_measure_test
