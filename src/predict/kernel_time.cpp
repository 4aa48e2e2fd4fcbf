#include "predict/kernel_time.h"

#include <algorithm>

namespace mtfc::predict {
namespace {

using cost::KernelWork;
using cost::Work;

double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

/// Besides the product itself.
double small_things(const KernelWork& kernel, const Chip& chip) {
  const KernelCosts& costs = chip.kernels;
  double seconds = over(kernel.moved, chip.vector_peak);
  for (std::size_t op = 0; op < kernel.operations.size(); ++op) {
    const double rate = costs.operations[op] > 0 ? costs.operations[op] : chip.vector_peak;
    seconds += over(kernel.operations[op], rate);
  }
  const double on_one_thread = kernel.calls * costs.call + kernel.turned * costs.turn +
                               kernel.steps * costs.step + kernel.runs * costs.run +
                               kernel.places * costs.seek;
  return seconds + over(kernel.samples, costs.samples) +
         on_one_thread / static_cast<double>(costs.threads);
}

double memory_seconds(const Work& work, const Chip& chip, double far_bytes, double imbalance) {
  const double far_rate = chip.bandwidth * chip.bandwidth_efficiency;
  const double near_rate = chip.kernels.cache_rate;
  if (!work.kernel || near_rate <= 0) return work.bytes / far_rate;
  const double far = std::min(far_bytes, work.bytes);
  return far / far_rate + (work.bytes - far) / near_rate * imbalance;
}

/// Where so many bytes are far.
KernelTime time_with(const Work& work, const Chip& chip, double far_bytes) {
  const bool product = work.kind == Work::Kind::product;
  const double peak = product ? chip.peak(work.dtype) * chip.efficiency : chip.vector_peak;
  if (!work.kernel || !chip.kernels.known)
    return {over(work.flops, peak), memory_seconds(work, chip, far_bytes, 1)};
  const KernelWork& kernel = *work.kernel;
  const double longer = imbalance(kernel, chip.kernels);
  double computing = small_things(kernel, chip);
  if (kernel.calls > 0) computing += over(work.flops, peak);
  return {computing * longer, memory_seconds(work, chip, far_bytes, longer)};
}

}  // namespace

double imbalance(const KernelWork& kernel, const KernelCosts& costs) {
  if (kernel.tasks <= 0) return 1;
  const std::int64_t most = (kernel.tasks + costs.threads - 1) / costs.threads;
  return static_cast<double>(most * costs.threads) / static_cast<double>(kernel.tasks);
}

KernelTime kernel_time(const Work& work, const Chip& chip) {
  return time_with(work, chip, work.kernel ? work.kernel->far_bytes : 0);
}

double least_seconds(const Work& work, const Chip& chip) {
  return std::min(time_with(work, chip, 0).seconds(chip),
                  time_with(work, chip, work.bytes).seconds(chip));
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
