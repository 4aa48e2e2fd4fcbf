// Descriptions of measured machines.
#include <catch2/catch.hpp>

#include "predict/measure.h"
#include "unit/predict/lab.h"

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
  machine.levels.push_back(level);
  const Machine again = read_again(description(machine), mesh_of("a=4"));
  for (std::size_t i = 0; i < Chip::types; ++i)
    CHECK(again.chip.peaks[i] == Approx(machine.chip.peaks[i]).epsilon(0.006));
  CHECK(again.chip.vector_peak == Approx(machine.chip.vector_peak).epsilon(0.006));
  CHECK(again.chip.memory == Approx(machine.chip.memory).epsilon(0.006));
  CHECK(again.chip.bandwidth == Approx(machine.chip.bandwidth).epsilon(0.006));
  CHECK(again.chip.launch == Approx(machine.chip.launch).epsilon(0.006));
  REQUIRE(again.levels.size() == 1);
  CHECK(again.levels[0].size == 4);
  CHECK(again.levels[0].bandwidth == Approx(level.bandwidth).epsilon(0.006));
  CHECK(again.levels[0].latency == Approx(level.latency).epsilon(0.006));
}

TEST_CASE("what is measured here can be read") {
  runtime::Pool pool(1);
  const Machine machine = measure(pool, runtime::net::alone());
  CHECK(machine.levels.empty());
  for (const double peak : machine.chip.peaks) CHECK(peak > 1e6);
  CHECK(machine.chip.bandwidth > 1e6);
  CHECK(machine.chip.launch > 0);
  CHECK(machine.chip.launch < 1e-2);
  read_again(description(machine), {});
}

}  // namespace predict_measure_test
