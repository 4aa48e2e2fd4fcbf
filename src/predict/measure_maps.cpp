#include <algorithm>

#include "kernels/kernels.h"
#include "predict/kernel_time.h"
#include "predict/measure_kernels.h"
#include "predict/stopwatch.h"
#include "support/aligned_bytes.h"

namespace mtfc::predict {
namespace {

using runtime::MapSpec;
using runtime::Pool;
using runtime::net::Network;

constexpr std::int64_t many = 1 << 17;  // elements: in the second caches
constexpr int repeats = 4;              // of an operation that is measured

/// Two operands of this shape; `width`: elements from a row to the next.
MapSpec two_operands(std::int64_t rows, std::int64_t columns, std::int64_t width,
                     DType dtype = DType::f32) {
  MapSpec spec;
  spec.extents = {rows, columns};
  spec.operands = {{dtype, {width, 1}}, {dtype, {width, 1}}};
  spec.body.code = {scalar::operand(0, dtype), scalar::operand(1, dtype)};
  return spec;
}

/// The number of the value made, which becomes the result.
int apply(MapSpec& spec, ScalarOp op, int a, int b) {
  spec.body.code.push_back(scalar::op(op, spec.operands[0].dtype, a, arity(op) == 2 ? b : -1));
  const int made = static_cast<int>(spec.body.code.size()) - 1;
  spec.body.results = {made};
  return made;
}

MapSpec chain_of(ScalarOp op, std::int64_t rows, std::int64_t columns, std::int64_t width,
                 int count) {
  MapSpec spec = two_operands(rows, columns, width);
  for (int i = 0, value = 0; i < count; ++i) value = apply(spec, op, value, 1);
  return spec;
}
MapSpec sums(std::int64_t rows, std::int64_t columns, std::int64_t width, int count) {
  return chain_of(ScalarOp::add, rows, columns, width, count);
}

/// Operands between 1/2 and 3/2, where no operation is a special case, or small whole numbers.
class Maps {
 public:
  Maps(Pool& pool, Network& network) : pool_(pool), network_(network) {
    auto* floats = reinterpret_cast<float*>(floats_.data());
    auto* ints = reinterpret_cast<std::int32_t*>(ints_.data());
    for (std::int64_t i = 0; i < 2 * many; ++i) {
      floats[i] = 0.5f + static_cast<float>(i % 97) / 97.0f;
      ints[i] = static_cast<std::int32_t>(i % 97) + 3;
    }
  }

  double seconds(const MapSpec& spec) {
    const void* x = spec.operands[0].dtype == DType::i32 ? ints_.data() : floats_.data();
    const void* inputs[] = {x, x};
    void* outputs[] = {y_.data()};
    const runtime::Call call{inputs, outputs, nullptr};
    return seconds_of(network_, [&] { map(pool_, spec, &call, 1); });
  }
  /// Of all of them, one after the other.
  double seconds(const std::vector<MapSpec>& specs) {
    const void* inputs[] = {floats_.data(), floats_.data()};
    void* outputs[] = {y_.data()};
    const runtime::Call call{inputs, outputs, nullptr};
    return seconds_of(network_, [&] {
      for (const MapSpec& spec : specs) map(pool_, spec, &call, 1);
    });
  }

 private:
  Pool& pool_;
  Network& network_;
  AlignedBytes floats_{8 * many}, ints_{8 * many}, y_{4 * many};
};

/// Seconds that one of many operations takes: on a map of so many elements.
double operation_seconds(Maps& maps, std::int64_t elements) {
  constexpr int few = 4, more = 36, tries = 3;
  double least = 1;
  // Each a step of its own (kernels/map_pairs.h).
  const auto seconds = [&](int count) {
    return maps.seconds(chain_of(ScalarOp::max, 1, elements, elements, count));
  };
  for (int i = 0; i < tries; ++i) {  // differences are easily disturbed
    const double each = (seconds(more) - seconds(few)) / (more - few);
    if (each > 0) least = std::min(least, each);
  }
  return least;
}

/// On one thread, of a block among many and of one with few elements.
void measure_steps(Maps& maps, Chip& chip) {
  constexpr std::int64_t small = 64, block = 1024;
  const auto threads = static_cast<double>(chip.kernels.threads);
  const double of_block = operation_seconds(maps, many) * threads * block / many;
  const double of_few = operation_seconds(maps, small);
  const double element = std::max((of_block - of_few) / (block - small), of_block / block / 10);
  chip.vector_peak = threads / element;
  chip.kernels.step = std::max(of_block - element * block, 0.0);
}

/// Of operations that take much longer than a sum. Those of whole numbers find places in tensors.
void measure_operations(Maps& maps, Chip& chip) {
  const auto chain = [&](ScalarOp op, DType dtype) {
    MapSpec spec = two_operands(1, many, many, dtype);
    for (int i = 0, value = 0; i < repeats; ++i)
      value = apply(spec, ScalarOp::add, value, apply(spec, op, 0, 1));
    return maps.seconds(spec);
  };
  for (const DType dtype : {DType::f32, DType::i32}) {
    const double sum = chain(ScalarOp::add, dtype);
    for (int i = 0; i < scalar_op_count; ++i) {
      const auto op = static_cast<ScalarOp>(i);
      const bool whole = op == ScalarOp::floordiv || op == ScalarOp::mod;
      if (arity(op) > 2 || gives_bool(op) || !takes(op, dtype) || op == ScalarOp::cast ||
          whole != (dtype == DType::i32))
        continue;
      const double each = (chain(op, dtype) - sum) / repeats / many + 1 / chip.vector_peak;
      if (each * chip.vector_peak > 2)
        chip.kernels.operations[static_cast<std::size_t>(i)] = 1 / each;
    }
  }
}

/// Short rows of a wider tensor, against the same in one piece.
void measure_runs(Maps& maps, Chip& chip) {
  constexpr std::int64_t columns = 8, rows = many / 16;
  const double apart = maps.seconds(sums(rows, columns, 2 * columns, 1));
  const double together = maps.seconds(sums(rows, columns, columns, 1));
  const double more = apart - together - 2 * rows * columns / chip.vector_peak;
  chip.kernels.run = std::max(more, 0.0) * static_cast<double>(chip.kernels.threads) / (2 * rows);
}

void measure_samples(Maps& maps, Chip& chip) {
  MapSpec spec = sums(1, many, many, 1);
  const double without = maps.seconds(spec);
  spec.random_leaves = {{Distribution::uniform, 0, 1, 1, -1, {many, 1}, {{}, {}}, -1, 0}};
  spec.body.code[1] = scalar::random(0, DType::f32);
  chip.kernels.samples = many / std::max(maps.seconds(spec) - without, 1e-9);
}

/// Many short kernels, each of another plan, behind kernels that fill the nearer caches: as
/// programs run them, so that plans and operands are not at hand.
void measure_launch(Maps& maps, Chip& chip) {
  constexpr int kernels = 64;
  std::vector<MapSpec> large, both;
  double known = 0;
  for (int i = 0; i < kernels; ++i) {
    large.push_back(sums(1, many - 64 * i, many, 1));
    both.push_back(large.back());
    both.push_back(sums(1, 16 + i, 16 + i, 1 + i % 8));
    cost::Work work;
    work.kind = cost::Work::Kind::other;
    work.kernel = std::make_shared<const cost::KernelWork>(cost::kernel_work_of(both.back()));
    known += kernel_time(work, chip).computing;
  }
  std::vector<double> tries(5);  // differences are easily disturbed: the middle one
  for (double& more : tries) more = maps.seconds(both) - maps.seconds(large) - known;
  std::nth_element(tries.begin(), tries.begin() + 2, tries.end());
  chip.launch = std::max(tries[2], 0.0) / kernels;
}

}  // namespace

void measure_maps(Pool& pool, Network& network, Chip& chip) {
  Maps maps(pool, network);
  measure_steps(maps, chip);
  measure_operations(maps, chip);
  measure_runs(maps, chip);
  measure_samples(maps, chip);
  measure_launch(maps, chip);
}

}  // namespace mtfc::predict
