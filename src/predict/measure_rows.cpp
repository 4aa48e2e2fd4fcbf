#include <algorithm>

#include "kernels/kernels.h"
#include "predict/kernel_time.h"
#include "predict/measure_kernels.h"
#include "predict/stopwatch.h"
#include "support/aligned_bytes.h"

namespace mtfc::predict {
namespace {

using runtime::Call;
using runtime::Pool;
using runtime::net::Network;

// Rows so short that finding them is nearly all.
constexpr std::int64_t rows = 4096, columns = 4;

/// What finding one row takes a thread besides what is known of it.
double seek_seconds(const bind::Bound& bound, double seconds, double bytes, const Chip& chip) {
  cost::Work work;
  work.kind = cost::Work::Kind::other;
  work.bytes = bytes;
  const cost::KernelWork kernel = cost::kernel_work_of(bound);
  work.kernel = std::make_shared<const cost::KernelWork>(kernel);
  const double known = kernel_time(work, chip).seconds(chip);
  return std::max(seconds - known, 0.0) / kernel.seeks / imbalance(kernel, chip.kernels) *
         static_cast<double>(chip.kernels.threads);
}

double copied(Pool& pool, Network& network, const Chip& chip) {
  runtime::CopySpec spec;
  spec.extents = {rows, columns};
  spec.x_strides = {2 * columns, 1};
  spec.y_strides = {columns, 1};
  spec.y_size = rows * columns;
  const AlignedBytes x = AlignedBytes::zeros(4 * rows * 2 * columns);
  AlignedBytes y(4 * rows * columns);
  const void* inputs[] = {x.data()};
  void* outputs[] = {y.data()};
  const Call call{inputs, outputs, nullptr};
  const double seconds = seconds_of(network, [&] { copy(pool, spec, &call, 1); });
  return seek_seconds(spec, seconds, 4.0 * rows * 2 * columns, chip);
}

double gathered(Pool& pool, Network& network, const Chip& chip) {
  runtime::GatherSpec spec;
  spec.extents = {rows, columns};
  spec.x_strides = {0, 1};
  spec.indices = {{{1, 0}, columns, rows, rows, {}}};
  const AlignedBytes x = AlignedBytes::zeros(4 * rows * columns);
  AlignedBytes numbers(4 * rows), y(4 * rows * columns);
  auto* index = reinterpret_cast<std::int32_t*>(numbers.data());
  for (std::int64_t i = 0; i < rows; ++i) index[i] = static_cast<std::int32_t>(i * 7 % rows);
  const void* inputs[] = {x.data(), numbers.data()};
  void* outputs[] = {y.data()};
  const Call call{inputs, outputs, nullptr};
  const double seconds = seconds_of(network, [&] { gather(pool, spec, &call, 1); });
  return seek_seconds(spec, seconds, 4.0 * rows * (2 * columns + 1), chip);
}

}  // namespace

void measure_rows(Pool& pool, Network& network, Chip& chip) {
  chip.kernels.seek = (copied(pool, network, chip) + gathered(pool, network, chip)) / 2;
}

}  // namespace mtfc::predict
