// Descriptions of machines: what is read, and what is refused.
#include <catch2/catch.hpp>

#include "unit/predict/lab.h"

namespace predict_read_machine_test {

using namespace predict_lab;

namespace {

const std::string chip = "chip flops=1TF mem=1GB hbm=1GB/s\n";

bool refuses(const std::string& text, const std::string& words, const std::string& code = "E421") {
  const ReadMachine made = read(text, mesh_of("rows=2, cols=2"));
  INFO(text << "\n" << made.messages);
  return !made.machine && made.messages.find(code + " ") != std::string::npos &&
         made.messages.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("all fields of a description") {
  const ReadMachine made = read(
      "chip flops=100TF f32=50TF, f64=25TF; bf16=200TF vector=10TF mem=80GB hbm=2.0TB/s "
      "eff=70% hbm_eff=80% launch=3us\n"
      "link node switch size=8 bw=400Gb/s lat=3us eff=90%\n"
      "link pod torus size=64 dims=3 bw=1GiB/s shared=8\n");
  INFO(made.messages);
  REQUIRE(made.machine);
  const Chip& chip = made.machine->chip;
  CHECK(chip.peak(DType::f16) == 100e12);
  CHECK(chip.peak(DType::f32) == 50e12);
  CHECK(chip.peak(DType::f64) == 25e12);
  CHECK(chip.peak(DType::bf16) == 200e12);
  CHECK(chip.vector_peak == 10e12);
  CHECK(chip.memory == 80e9);
  CHECK(chip.bandwidth == 2e12);
  CHECK(chip.efficiency == Approx(0.7));
  CHECK(chip.bandwidth_efficiency == Approx(0.8));
  CHECK(chip.launch == Approx(3e-6));
  REQUIRE(made.machine->levels.size() == 2);
  const Level& node = made.machine->levels[0];
  CHECK(node.name == "node");
  CHECK(node.size == 8);
  CHECK(node.bandwidth == 50e9);
  CHECK(node.latency == Approx(3e-6));
  CHECK(node.efficiency == Approx(0.9));
  CHECK(node.sharers == 1);
  CHECK(made.machine->levels[1].topology == Topology::torus);
  CHECK(made.machine->levels[1].dims == 3);
  CHECK(made.machine->levels[1].sharers == 8);
}

TEST_CASE("every preset is a machine of its name") {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    names.emplace_back(preset.name);
    INFO(preset.name);
    SourceMap sources;
    Diagnostics found;
    const auto layout =
        parse_layout(sources, sources.add("preset", std::string(preset.text)), found);
    REQUIRE(layout);
    REQUIRE(layout->hardware.size() == 1);
    CHECK(layout->hardware[0].name == preset.name);
    const auto machine = read_machine(layout->hardware[0], {}, found);
    CHECK(found.all().empty());
    REQUIRE(machine);
    CHECK(machine->levels.size() >= 2);
    // More memory a second than ten times the memory, or less than a tenth, is a slip of a unit.
    CHECK(machine->chip.bandwidth > 10 * machine->chip.memory);
    CHECK(machine->chip.bandwidth < 100 * machine->chip.memory);
    for (const Level& level : machine->levels) {
      CHECK(level.bandwidth >= 1e9);
      CHECK(level.bandwidth <= machine->chip.bandwidth);
    }
  }
  CHECK(names == std::vector<std::string>{"a100_40", "a100_80", "h100", "h200", "tpu_v2", "tpu_v3",
                                          "tpu_v4", "tpu_v5e", "tpu_v5p", "v100"});
}

TEST_CASE("what is missing, unknown or twice") {
  CHECK(refuses("", "has no `chip`"));
  CHECK(refuses("link node size=2 bw=1GB/s", "has no `chip`"));
  CHECK(refuses("chip mem=1GB hbm=1GB/s", "this `chip` has no `flops`"));
  CHECK(refuses("chip flops=1TF hbm=1GB/s", "this `chip` has no `mem`"));
  CHECK(refuses("chip flops=1TF mem=1GB", "this `chip` has no `hbm`"));
  CHECK(refuses(chip + chip, "a second `chip`"));
  CHECK(refuses("chip flops=1TF mem=1GB hbm=1GB/s memory=1GB", "has no field `memory`"));
  CHECK(refuses("chip flop=1TF mem=1GB hbm=1GB/s", "did you mean `flops`?"));
  CHECK(refuses("chip flops=1TF flops=2TF mem=1GB hbm=1GB/s", "`flops` is given twice"));
  CHECK(refuses(chip + "link node size=8", "this `link` has no `bw`"));
  CHECK(refuses(chip + "link node rng size=8 bw=1GB/s", "no topology `rng`"));
  CHECK(refuses(chip + "link node rng size=8 bw=1GB/s", "did you mean `ring`?"));
  CHECK(refuses(chip + "link node ring size=8 dims=2 bw=1GB/s", "has no field `dims`"));
  CHECK(refuses(chip + "link node size=8 bw=1GB/s shared=yes", "written like `shared=8`"));
  CHECK(refuses(chip + "link node size=8 bw=1GB/s shared=8", "the innermost link is not shared"));
}

TEST_CASE("wrong units, and numbers that no machine has") {
  const auto chip_with = [](const std::string& field) {
    return "chip f32=1TF " + field + " mem=1GB hbm=1GB/s";
  };
  CHECK(refuses(chip_with("flops=80GB"), "written like `flops=312TF`"));
  CHECK(refuses(chip_with("flops=80"), "written like"));
  CHECK(refuses(chip_with("flops=nan"), "not `nan`"));
  CHECK(refuses(chip_with("flops=inf"), "not `inf`"));
  CHECK(refuses(chip_with("flops=0TF"), "too small"));
  CHECK(refuses(chip_with("flops=1e-300TF"), "too small"));
  CHECK(refuses(chip_with("flops=1e40TF"), "too large"));
  CHECK(refuses(chip_with("flops=1e999TF"), "E421"));
  CHECK(refuses("chip flops=1TF mem=1GB/s hbm=1GB/s", "written like `mem=16GB`"));
  CHECK(refuses("chip flops=1TF mem=1GB hbm=1GB", "written like `hbm=25GB/s`"));
  CHECK(refuses("chip flops=1TF mem=1GB hbm=1GB/s eff=170%", "from 0.1% to 100%"));
  CHECK(refuses("chip flops=1TF mem=1GB hbm=1GB/s eff=0%", "too small"));
  CHECK(refuses(chip + "link node size=2.5 bw=1GB/s", "not a whole number"));
  CHECK(refuses(chip + "link node size=0 bw=1GB/s", "too small"));
  CHECK(refuses(chip + "link node size=1e12 bw=1GB/s", "too large"));
  CHECK(refuses(chip + "link node size=2 bw=1GB/s lat=1e9s", "too large"));
}

TEST_CASE("what kernels take") {
  const ReadMachine made = read(
      "chip flops=1TF mem=1GB hbm=1GB/s overlap=0% threads=4 cache=24MB cache_bw=150GB/s\n"
      "  call=60ns turn=0.3ns step=20ns run=2ns seek=12ns random=2GF exp=10GF mod=400MF\n"
      "link node size=2 bw=1GB/s sum=7GB/s\n");
  INFO(made.messages);
  REQUIRE(made.machine);
  const Chip& chip_read = made.machine->chip;
  const KernelCosts& kernels = chip_read.kernels;
  CHECK(chip_read.overlap == 0);
  CHECK(kernels.known);
  CHECK(kernels.threads == 4);
  CHECK(kernels.cache == 24e6);
  CHECK(kernels.turn == Approx(0.3e-9));
  CHECK(kernels.seek == Approx(12e-9));
  CHECK(kernels.operations[static_cast<std::size_t>(ScalarOp::mod)] == 400e6);
  CHECK(kernels.operations[static_cast<std::size_t>(ScalarOp::sin)] == 0);
  CHECK(made.machine->levels.at(0).sum_rate == 7e9);
  const std::string plain = "chip flops=1TF mem=1GB hbm=1GB/s ";
  CHECK_FALSE(read(plain + "overlap=50% launch=1us").machine->chip.kernels.known);
  CHECK(refuses(plain + "cache=24MB", "need each other"));
  CHECK(refuses(plain + "cache_bw=24GB/s", "need each other"));
  CHECK(refuses(plain + "threads=0", "too small"));
  CHECK(refuses(plain + "threads=1.5", "not a whole number"));
  CHECK(refuses(plain + "exp=10GB", "`exp` is written like"));
  CHECK(refuses(plain + "sine=10GF", "no field `sine`"));
  CHECK(refuses(plain + "overlap=101%", "too large"));
  CHECK(refuses(plain + "comm_overlap=101%", "too large"));
  CHECK(refuses(plain + "call=1e9s", "too large"));
}

TEST_CASE("descriptions that no one writes") {
  std::string lines, fields;
  for (int i = 0; i < 10000; ++i) {
    lines += "link l" + std::to_string(i) + " size=2 bw=1GB/s\n";
    fields += " f" + std::to_string(i) + "=1";
  }
  CHECK(refuses(chip + lines, "more than 80 lines"));
  CHECK(refuses("chip flops=1TF" + fields, "more than 80 fields"));
}

TEST_CASE("links name axes, or are levels") {
  CHECK(refuses(chip + "link columns bw=25GB/s", "names no mesh axis: `columns`", "E403"));
  CHECK(refuses(chip + "link rows bw=25GB/s\nlink cols bw=1GB/s\nlink columns bw=25GB/s",
                "every axis has its link: take this one out", "E403"));
  CHECK(refuses("chip flops=1TF mem=1GB bw=1TB/s", "did you mean `hbm`?"));
  CHECK(refuses(chip + "link rows bandwidth=25GB/s", "did you mean `bw`?"));
  CHECK(refuses(chip + "link rows bw=25GB/s latency=5us", "did you mean `lat`?"));
  CHECK(refuses(chip + "link row bw=25GB/s", "did you mean `rows`?", "E403"));
  CHECK(refuses(chip + "link rows bw=1GB/s", "for mesh axis `cols`"));
  CHECK(refuses(chip + "link rows bw=1GB/s\nlink rows bw=1GB/s\nlink cols bw=1GB/s", "two links"));
  CHECK(
      refuses(chip + "link rows bw=1GB/s\nlink node size=2 bw=1GB/s", "other links have a `size`"));
  CHECK(refuses(chip + "link node size=2 bw=1GB/s\nlink node size=4 bw=1GB/s", "two links `node`"));
  // The stages of a pipeline are an axis of their own, which the mesh of one stage lacks.
  const std::string staged = chip + "link stages bw=1GB/s\nlink rows bw=1GB/s";
  CHECK(read(staged, mesh_of("rows=2")).machine->levels.size() == 1);
  CHECK(read(staged, mesh_of("stages=2, rows=2")).machine->levels.size() == 2);
  CHECK(refuses(chip + "link stages bw=1GB/s\nlink node size=2 bw=1GB/s", "have a `size`"));
  // An axis' name with a size is a level that happens to have it.
  CHECK(read(chip + "link rows size=8 bw=1GB/s", mesh_of("rows=2")).machine);
  CHECK(read(chip, mesh_of("rows=1")).machine);
}

}  // namespace predict_read_machine_test
