#include "predict/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "comm/exchange.h"
#include "predict/measure_kernels.h"
#include "predict/stopwatch.h"
#include "support/aligned_bytes.h"
#include "support/machine_memory.h"

namespace mtfc::predict {
namespace {

using runtime::ExchangeSpec;
using runtime::Pool;
using runtime::net::Network;

/// Collectives of all ranks as programs run them, by bytes of an operand.
class AllRanks {
 public:
  AllRanks(Pool& pool, Network& network)
      : pool_(pool), network_(network), groups_(network, {network.ranks()}) {}

  double gather(std::int64_t bytes) {
    return seconds(ExchangeSpec::Kind::all_gather, bytes, bytes * network_.ranks());
  }
  double sum(std::int64_t bytes) { return seconds(ExchangeSpec::Kind::all_reduce, bytes, bytes); }

 private:
  double seconds(ExchangeSpec::Kind kind, std::int64_t from, std::int64_t to) {
    const std::int64_t size = size_of(DType::f32);
    ExchangeSpec spec;
    spec.kind = kind;
    spec.combine = Combine::sum;
    spec.axes = {0};
    spec.group_size = network_.ranks();
    spec.source_elements = from / size;
    spec.result_elements = to / size;
    spec.extents = {spec.source_elements};
    spec.source_strides = spec.result_strides = {1};
    if (kind == ExchangeSpec::Kind::all_gather) spec.result_step = spec.source_elements;
    const AlignedBytes x = groups_.allocate(from), y = groups_.allocate(to),
                       scratch = groups_.allocate(runtime::bucket_scratch({spec}) + 64);
    std::memset(x.data(), 0, static_cast<std::size_t>(from));
    const void* operands[] = {x.data()};
    void* results[] = {y.data()};
    return seconds_of(network_, [&] {
      runtime::net::exchange(groups_, pool_, {spec}, operands, results, scratch.data());
    });
  }

  Pool& pool_;
  Network& network_;
  runtime::net::Groups groups_;
};

/// By the formulas of an all-gather and of an all-reduce (docs/hardware.md).
Level measured_link(Pool& pool, Network& network) {
  constexpr std::int64_t small = 8, large = std::int64_t{1} << 18;
  AllRanks all(pool, network);
  Level level;
  level.name = "ranks";
  level.size = network.ranks();
  const auto others = static_cast<double>(network.ranks() - 1);
  const double rounds = std::ceil(std::log2(network.ranks()));
  level.latency = all.gather(small) / rounds;
  const double transfer = std::max(all.gather(large) - rounds * level.latency, 1e-9);
  level.bandwidth = static_cast<double>(large) * others / transfer;
  // Of an operand as long as what was gathered.
  const double operand = static_cast<double>(large) * static_cast<double>(network.ranks());
  const double both = 2 * (rounds * level.latency + transfer);
  const double adding = all.sum(large * network.ranks()) - both;
  if (adding > 0) level.sum_rate = operand * others / (others + 1) / adding;
  return level;
}

double memory_of_rank(Network& network) {
  return static_cast<double>(network.lowest(machine_memory().physical / network.ranks_here()));
}

}  // namespace

Machine measure(Pool& pool, Network& network) {
  Machine machine;
  machine.name = "here";
  Chip& chip = machine.chip;
  chip.overlap = 0;       // its kernels load, compute and store one block after the other
  chip.comm_overlap = 0;  // who computes also copies messages and adds up sums
  chip.kernels.known = true;
  chip.kernels.threads = pool.threads();
  chip.memory = memory_of_rank(network);
  measure_memory(pool, network, chip);
  measure_maps(pool, network, chip);
  measure_rows(pool, network, chip);
  measure_products(pool, network, chip);
  if (network.ranks() > 1) machine.levels.push_back(measured_link(pool, network));
  return machine;
}

}  // namespace mtfc::predict
