#include "kernels/kernels.h"
#include "predict/kernel_time.h"
#include "predict/least_squares.h"
#include "predict/measure_kernels.h"
#include "predict/stopwatch.h"
#include "support/aligned_bytes.h"

namespace mtfc::predict {
namespace {

using runtime::ContractSpec;
using runtime::Pool;
using runtime::net::Network;

enum class Transposed : std::uint8_t { neither, a, b };

/// `count` products that lie one behind the other.
ContractSpec products(std::int64_t count, std::int64_t m, std::int64_t n, std::int64_t k,
                      DType type, Transposed transposed) {
  ContractSpec spec;
  spec.a = spec.b = spec.c = type;
  const bool a = transposed == Transposed::a, b = transposed == Transposed::b;
  if (count > 1) spec.batch = {{count, m * k, k * n, m * n}};
  spec.m = {{m, a ? 1 : k, 0, n}};
  spec.n = {{n, 0, b ? k : 1, 1}};
  spec.k = {{k, a ? m : 1, b ? 1 : n, 0}};
  spec.a_size = count * m * k;
  spec.b_size = count * k * n;
  spec.c_size = count * m * n;
  return spec;
}

double bytes_of(const ContractSpec& spec) {
  return static_cast<double>(spec.a_size + spec.b_size + spec.c_size) *
         static_cast<double>(size_of(spec.c));
}

double run_seconds(Pool& pool, Network& network, const ContractSpec& spec) {
  const auto size = static_cast<std::int64_t>(size_of(spec.c));
  AlignedBytes a = AlignedBytes::zeros(spec.a_size * size),
               b = AlignedBytes::zeros(spec.b_size * size), c(spec.c_size * size);
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {c.data()};
  const runtime::Call call{inputs, outputs, nullptr};
  return seconds_of(network, [&] { contract(pool, spec, &call, 1); });
}

/// Of a product by a chip: what it takes besides its FLOPs at the peak.
cost::Work work_of(const ContractSpec& spec) {
  cost::Work work;
  work.kind = cost::Work::Kind::product;
  work.dtype = spec.c;
  work.bytes = bytes_of(spec);
  work.kernel = std::make_shared<const cost::KernelWork>(cost::kernel_work_of(spec));
  return work;
}

/// FLOPs, calls and turned elements take 1/peak, call and turn.
struct Equation {
  std::vector<double> factors;
  double seconds = 0;
};

Equation equation(const ContractSpec& spec, double seconds, const Chip& chip) {
  const cost::Work work = work_of(spec);
  const cost::KernelWork& kernel = *work.kernel;
  const double longer = imbalance(kernel, chip.kernels);
  const double each = longer / static_cast<double>(chip.kernels.threads);
  const double besides = kernel_time(work, chip).memory + chip.launch;
  return {{runtime::flops(spec) * longer, kernel.calls * each, kernel.turned * each},
          std::max(seconds - besides, seconds / 10)};
}

/// Of a large product, with what is known of calls.
double peak(Pool& pool, Network& network, const Chip& chip, DType type) {
  const ContractSpec spec = products(1, 768, 768, 768, type, Transposed::neither);
  const Equation large = equation(spec, run_seconds(pool, network, spec), chip);
  const double calls = large.factors[1] * chip.kernels.call + large.factors[2] * chip.kernels.turn;
  return large.factors[0] / std::max(large.seconds - calls, large.seconds / 10);
}

}  // namespace

void measure_products(Pool& pool, Network& network, Chip& chip) {
  struct Extents {
    std::int64_t m, n, k;
  };
  // None with a dimension so short that the library multiplies in another way.
  constexpr Extents shapes[] = {{64, 64, 64}, {128, 128, 128}, {256, 256, 256}, {512, 64, 64},
                                {64, 64, 16}, {64, 16, 64},    {16, 64, 64},    {8, 8, 8}};
  std::vector<std::vector<double>> equations;
  std::vector<double> seconds;
  for (const Extents& s : shapes)
    for (const Transposed transposed : {Transposed::neither, Transposed::a, Transposed::b}) {
      const ContractSpec spec =
          products(16 * chip.kernels.threads, s.m, s.n, s.k, DType::f32, transposed);
      const Equation one = equation(spec, run_seconds(pool, network, spec), chip);
      equations.push_back(one.factors);
      seconds.push_back(one.seconds);
    }
  const std::vector<double> found = least_squares(equations, seconds);
  chip.kernels.call = found[1];
  chip.kernels.turn = found[2];
  for (std::size_t i = 0; i < Chip::types; ++i)
    chip.peaks[i] = peak(pool, network, chip, static_cast<DType>(i));
}

}  // namespace mtfc::predict
