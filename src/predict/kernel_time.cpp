#include "predict/kernel_time.h"

#include <algorithm>

#include "support/rounding.h"

namespace mtfc::predict {
namespace {

using cost::KernelWork;
using cost::Work;

double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

/// What shards of the work do between them, too: operations, and random samples.
double shared_seconds(const KernelWork& kernel, const Chip& chip) {
  double seconds = over(kernel.samples, chip.kernels.samples);
  for (std::size_t op = 0; op < kernel.operations.size(); ++op) {
    const double rate = chip.kernels.operations[op];
    seconds += over(kernel.operations[op], rate > 0 ? rate : chip.vector_peak);
  }
  return seconds;
}

/// What else kernels take for work of this size: they may go about a shard in another way.
double own_seconds(const KernelWork& kernel, const Chip& chip) {
  const KernelCosts& costs = chip.kernels;
  const double on_one_thread = kernel.calls * costs.call + kernel.turned * costs.turn +
                               kernel.steps * costs.step + kernel.runs * costs.run +
                               kernel.seeks * costs.seek;
  return over(kernel.moved, chip.vector_peak) + on_one_thread / static_cast<double>(costs.threads);
}

double memory_seconds(const Work& work, const Chip& chip, double far_bytes, double imbalance) {
  const double far_rate = chip.bandwidth * chip.bandwidth_efficiency;
  const double near_rate = chip.kernels.cache_rate;
  if (!work.kernel || near_rate <= 0) return work.bytes / far_rate;
  const double far = std::min(far_bytes, work.bytes);
  return far / far_rate + (work.bytes - far) / near_rate * imbalance;
}

double peak_of(const Work& work, const Chip& chip) {
  return work.kind == Work::Kind::product ? chip.peak(work.dtype) * chip.efficiency
                                          : chip.vector_peak;
}

bool knows_kernel(const Work& work, const Chip& chip) { return work.kernel && chip.kernels.known; }

/// Of what shards have too, besides the product itself of a kernel that is known.
double computing_seconds(const Work& work, const Chip& chip) {
  const double product = over(work.flops, peak_of(work, chip));
  if (!knows_kernel(work, chip)) return product;
  return shared_seconds(*work.kernel, chip) + (work.kernel->calls > 0 ? product : 0);
}

}  // namespace

double imbalance(const KernelWork& kernel, const KernelCosts& costs) {
  if (kernel.tasks <= 0) return 1;
  const std::int64_t most = ceil_div(kernel.tasks, costs.threads);
  return static_cast<double>(most * costs.threads) / static_cast<double>(kernel.tasks);
}

KernelTime kernel_time(const Work& work, const Chip& chip) {
  const double computing = computing_seconds(work, chip);
  if (!knows_kernel(work, chip))
    return {computing, memory_seconds(work, chip, work.kernel ? work.kernel->far_bytes : 0, 1)};
  const KernelWork& kernel = *work.kernel;
  const double longer = imbalance(kernel, chip.kernels);
  return {(computing + own_seconds(kernel, chip)) * longer,
          memory_seconds(work, chip, kernel.far_bytes, longer)};
}

double least_seconds(const Work& work, const Chip& chip) {
  const auto with = [&](double far_bytes) {
    const KernelTime time{computing_seconds(work, chip), memory_seconds(work, chip, far_bytes, 1)};
    return time.seconds(chip);
  };
  return std::min(with(0), with(work.bytes));
}

double message_seconds(const Work& work, const Chip& chip) {
  if (!work.kernel || !chip.kernels.known) return 0;
  const double bytes = 2 * work.kernel->packed * static_cast<double>(size_of(work.dtype));
  return work.kernel->copies * chip.launch + over(bytes, chip.kernels.cache_rate);
}

double KernelTime::seconds(const Chip& chip) const {
  const double longest = std::max({computing, memory, chip.launch});
  return longest + (1 - chip.overlap) * (computing + memory + chip.launch - longest);
}

}  // namespace mtfc::predict
