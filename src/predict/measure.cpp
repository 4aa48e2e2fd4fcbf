#include "predict/measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "kernels/kernels.h"
#include "support/aligned_bytes.h"
#include "support/figures.h"

namespace mtfc::predict {
namespace {

using runtime::Call;
using runtime::Pool;
using runtime::net::Channel;
using runtime::net::Network;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds of one run on the slowest rank: of several samples the middle one, since others may use
/// the machine, too.
double seconds_of(Network& network, const std::function<void()>& run) {
  constexpr double sample = 0.02;
  constexpr int samples = 5;
  run();  // libraries are opened, memory is touched
  const auto start = Clock::now();
  run();
  const auto here = static_cast<std::int64_t>(sample / (since(start) + 1e-9)) + 1;
  const std::int64_t repeats = network.lowest(std::min<std::int64_t>(here, 10000));
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    network.lowest(0);  // all begin together
    const auto begin = Clock::now();
    for (std::int64_t r = 0; r < repeats; ++r) run();
    times.push_back(since(begin) / static_cast<double>(repeats));
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return static_cast<double>(network.highest(std::llround(times[samples / 2] * 1e12))) * 1e-12;
}

/// FLOP/s of a product of square matrices.
double product_rate(Pool& pool, Network& network, DType type) {
  constexpr std::int64_t n = 768;
  runtime::ContractSpec spec;
  spec.a = spec.b = spec.c = type;
  spec.m = {{n, n, 0, n}};
  spec.n = {{n, 0, 1, 1}};
  spec.k = {{n, 1, n, 0}};
  spec.a_size = spec.b_size = spec.c_size = n * n;
  const auto bytes = static_cast<std::int64_t>(n * n * static_cast<std::int64_t>(size_of(type)));
  AlignedBytes a = AlignedBytes::zeros(bytes), b = AlignedBytes::zeros(bytes), c(bytes);
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {c.data()};
  const Call call{inputs, outputs, nullptr};
  return flops(spec) / seconds_of(network, [&] { contract(pool, spec, &call, 1); });
}

ScalarInstruction leaf(LeafKind kind, int number, double value) {
  ScalarInstruction one;
  one.kind = kind;
  one.leaf = number;
  one.value = value;
  return one;
}
ScalarInstruction apply(ScalarOp op, int a, int b = -1) {
  ScalarInstruction one;
  one.op = op;
  one.args[0] = a;
  one.args[1] = b;
  return one;
}

/// x / 2 * (1 + tanh(x + c x^3)), of the kind that models are made of.
runtime::MapSpec activation(std::int64_t elements) {
  runtime::MapSpec spec;
  spec.extents = {elements};
  spec.operands = {{DType::f32, {1}}};
  spec.body.code = {leaf(LeafKind::operand, 0, 0),   leaf(LeafKind::constant, -1, 0.5),
                    leaf(LeafKind::constant, -1, 1), leaf(LeafKind::constant, -1, 0.044715),
                    apply(ScalarOp::mul, 0, 0),      apply(ScalarOp::mul, 4, 0),
                    apply(ScalarOp::mul, 5, 3),      apply(ScalarOp::add, 0, 6),
                    apply(ScalarOp::tanh, 7),        apply(ScalarOp::add, 8, 2),
                    apply(ScalarOp::mul, 0, 1),      apply(ScalarOp::mul, 10, 9)};
  spec.body.results = {11};
  return spec;
}

struct Map {
  explicit Map(std::int64_t elements)
      : spec(activation(elements)),
        x(AlignedBytes::zeros(4 * elements)),
        y(4 * elements),
        inputs{x.data()},
        outputs{y.data()} {}
  double seconds(Pool& pool, Network& network) {
    const Call call{inputs, outputs, nullptr};
    return seconds_of(network, [&] { map(pool, spec, &call, 1); });
  }

  runtime::MapSpec spec;
  AlignedBytes x, y;
  const void* inputs[1];
  void* outputs[1];
};

/// Bytes/s to and from memory together, of arrays that no cache holds.
double copy_rate(Pool& pool, Network& network) {
  constexpr std::int64_t rows = 4096, columns = 4096;
  runtime::CopySpec spec;
  spec.extents = {rows, columns};
  spec.x_strides = spec.y_strides = {columns, 1};
  spec.y_size = rows * columns;
  AlignedBytes x = AlignedBytes::zeros(4 * rows * columns), y(4 * rows * columns);
  const void* inputs[] = {x.data()};
  void* outputs[] = {y.data()};
  const Call call{inputs, outputs, nullptr};
  return 8.0 * rows * columns / seconds_of(network, [&] { copy(pool, spec, &call, 1); });
}

/// Seconds of a gather of so many bytes of each rank.
double gather_seconds(Network& network, Channel& all, std::int64_t bytes) {
  AlignedBytes mine = AlignedBytes::zeros(bytes), every(bytes * network.ranks());
  return seconds_of(network, [&] { all.all_gather(mine.data(), every.data(), bytes); });
}

/// By the formula of an all-gather (docs/hardware.md).
Level measured_link(Network& network) {
  constexpr std::int64_t small = 8, large = std::int64_t{4} << 20;
  const std::unique_ptr<Channel> all = network.split(0, network.rank());
  Level level;
  level.name = "ranks";
  level.size = network.ranks();
  const double rounds = std::ceil(std::log2(network.ranks()));
  level.latency = gather_seconds(network, *all, small) / rounds;
  const double transfer = gather_seconds(network, *all, large) - rounds * level.latency;
  level.bandwidth = static_cast<double>(large * (network.ranks() - 1)) / std::max(transfer, 1e-9);
  return level;
}

double memory_of_rank(Network& network) {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return static_cast<double>(network.lowest(static_cast<std::int64_t>(all / network.ranks_here())));
}

/// "123GF"
std::string figure(double value, const char* unit) {
  std::string text = scaled(value, unit);
  std::erase(text, ' ');
  return text;
}

std::string microseconds(double seconds) {
  return scaled(std::min(seconds * 1e6, 999.0), "") + "us";
}

}  // namespace

Machine measure(Pool& pool, Network& network) {
  Machine machine;
  machine.name = "here";
  for (std::size_t i = 0; i < Chip::types; ++i)
    machine.chip.peaks[i] = product_rate(pool, network, static_cast<DType>(i));
  constexpr std::int64_t many = 1 << 18;  // a megabyte
  Map large(many), tiny(1);
  machine.chip.vector_peak = flops(large.spec) / large.seconds(pool, network);
  machine.chip.launch = tiny.seconds(pool, network);
  machine.chip.bandwidth = copy_rate(pool, network);
  machine.chip.memory = memory_of_rank(network);
  if (network.ranks() > 1) machine.levels.push_back(measured_link(network));
  return machine;
}

std::string description(const Machine& machine) {
  const Chip& chip = machine.chip;
  std::string text =
      "hardware " + machine.name + " {\n  chip flops=" + figure(chip.peak(DType::f32), "F");
  for (const DType type : {DType::f64, DType::f16, DType::bf16})
    text += " " + std::string(name(type)) + "=" + figure(chip.peak(type), "F");
  text += " vector=" + figure(chip.vector_peak, "F") + " mem=" + figure(chip.memory, "B") +
          " hbm=" + figure(chip.bandwidth, "B/s") + " launch=" + microseconds(chip.launch) + "\n";
  for (const Level& level : machine.levels)
    text += "  link " + level.name + " switch size=" + std::to_string(level.size) +
            " bw=" + figure(level.bandwidth, "B/s") + " lat=" + microseconds(level.latency) + "\n";
  return text + "}\n";
}

}  // namespace mtfc::predict
