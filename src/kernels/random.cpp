#include "kernels/random.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/element_loops.h"

namespace mtfc::runtime {

void sample(const Stream& stream, DType dtype, std::int64_t first, std::int64_t n, void* y) {
  constexpr std::int64_t kBlock = 1024;
  alignas(64) double values[kBlock];
  const SampleArgs args{stream.distribution, dtype, stream.a, stream.b, stream.key, stream.step};
  auto* to = static_cast<char*>(y);
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const std::int64_t now = std::min(kBlock, n - i);
    blocks().sample(values, args, first + i, 1, now);
    blocks().stores[static_cast<int>(dtype)](to + i * bytes_of(dtype), values, now);
  }
}

double uniform(std::uint64_t key, std::uint32_t step, std::int64_t index) {
  double value = 0;
  sample({Distribution::uniform, 0, 1, key, step}, DType::f64, index, 1, &value);
  return value;
}

std::vector<std::int64_t> permutation(std::uint64_t seed, std::int64_t epoch, std::int64_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> samples(order.size());
  const Stream stream{Distribution::uniform, 0, 1, random_key(seed, "permutation"),
                      static_cast<std::uint32_t>(epoch)};
  sample(stream, DType::f64, 0, n, samples.data());
  // Fisher and Yates: the i-th place is filled from those not yet taken.
  for (std::int64_t i = n - 1; i > 0; --i) {
    const auto position = static_cast<std::size_t>(i);
    const auto from = static_cast<std::size_t>(samples[position] * static_cast<double>(i + 1));
    std::swap(order[position], order[from]);
  }
  return order;
}

}  // namespace mtfc::runtime
