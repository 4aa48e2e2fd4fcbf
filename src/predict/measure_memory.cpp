#include <cmath>

#include "kernels/kernels.h"
#include "predict/measure_kernels.h"
#include "predict/stopwatch.h"
#include "support/aligned_bytes.h"

namespace mtfc::predict {
namespace {

using runtime::Pool;
using runtime::net::Network;

constexpr std::int64_t megabyte = 1 << 20;
constexpr std::int64_t near_bytes = 6 * megabyte, far_bytes = 128 * megabyte;

/// Bytes/s to and from arrays of `bytes` together, over and over.
class Copies {
 public:
  explicit Copies(std::int64_t most) : x_(AlignedBytes::zeros(most / 2)), y_(most / 2) {}

  double rate(Pool& pool, Network& network, std::int64_t bytes) {
    runtime::CopySpec spec;
    spec.extents = {bytes / 2 / 4096, 1024};
    spec.x_strides = spec.y_strides = {1024, 1};
    spec.y_size = spec.extents[0] * 1024;
    const void* inputs[] = {x_.data()};
    void* outputs[] = {y_.data()};
    const runtime::Call call{inputs, outputs, nullptr};
    return 8.0 * static_cast<double>(spec.y_size) /
           seconds_of(network, [&] { copy(pool, spec, &call, 1); });
  }

 private:
  AlignedBytes x_, y_;
};

}  // namespace

void measure_memory(Pool& pool, Network& network, Chip& chip) {
  Copies copies(far_bytes);
  chip.bandwidth = copies.rate(pool, network, far_bytes);
  chip.kernels.cache_rate = copies.rate(pool, network, near_bytes);
  // It ends where the rate has fallen half of the way, as a ratio.
  const double between = std::sqrt(chip.bandwidth * chip.kernels.cache_rate);
  std::int64_t held = near_bytes;
  for (std::int64_t bytes = near_bytes; bytes < far_bytes; bytes += bytes / 4) {
    if (copies.rate(pool, network, bytes) < between) break;
    held = bytes;
  }
  chip.kernels.cache = static_cast<double>(held);
}

}  // namespace mtfc::predict
