// Collectives between real processors, which are threads here: a bucket gives every tensor what a
// message of its own gives, whether it ends at once or is started and waited for, in memory that
// they share or not.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "comm/async_sum.h"
#include "comm/exchange.h"
#include "comm/shared_memory.h"
#include "comm/threads.h"
#include "support/aligned_bytes.h"

namespace comm_exchange_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::net;

namespace {

using Kind = ExchangeSpec::Kind;
constexpr std::int64_t kRows = 2, kCols = 3;

/// A tensor [outer, 3 * middle, inner] that is cut, or put together, along its middle dimension
/// over the second axis of the mesh.
struct Shape {
  std::int64_t outer, middle, inner;
  std::int64_t elements() const { return outer * middle * inner; }
};

ExchangeSpec spec_of(Kind kind, const Shape& shape) {
  const std::int64_t step = shape.middle * shape.inner;
  const std::vector<std::int64_t> block = {step, shape.inner, 1},
                                  whole = {kCols * step, shape.inner, 1};
  ExchangeSpec spec;
  spec.kind = kind;
  spec.dtype = DType::f32;
  spec.axes = {1};
  spec.group_size = kCols;
  spec.extents = {shape.outer, shape.middle, shape.inner};
  spec.source_strides = spec.result_strides = block;
  spec.source_elements = spec.result_elements = shape.elements();
  if (kind == Kind::reduce_scatter || kind == Kind::all_to_all) {
    spec.source_strides = whole;
    spec.source_step = step;
    spec.source_elements *= kCols;
  }
  if (kind == Kind::all_gather || kind == Kind::all_to_all) {
    spec.result_strides = whole;
    spec.result_step = step;
    spec.result_elements *= kCols;
  }
  return spec;
}

float number(int rank, std::size_t tensor, std::int64_t i) {
  return static_cast<float>(
      std::sin(1.0 + 3 * rank + 0.7 * static_cast<double>(tensor) + static_cast<double>(i)));
}

/// What element `i` of a result must be, within rounding: `me` is the rank's place on the axis.
double wanted(Kind kind, const Shape& shape, std::size_t tensor, int row, int me, std::int64_t i) {
  const std::int64_t step = shape.middle * shape.inner;
  const auto rank = [&](std::int64_t r) { return static_cast<int>(row * kCols + r); };
  if (kind == Kind::all_gather) {
    const std::int64_t outer = i / (kCols * step), rest = i % (kCols * step);
    return number(rank(rest / step), tensor, outer * step + rest % step);
  }
  if (kind == Kind::all_to_all) {
    const std::int64_t outer = i / (kCols * step), rest = i % (kCols * step);
    return number(rank(rest / step), tensor, outer * kCols * step + me * step + rest % step);
  }
  std::int64_t from = i;
  if (kind == Kind::reduce_scatter) from = i / step * kCols * step + me * step + i % step;
  double sum = 0;
  for (int r = 0; r < kCols; ++r) sum += number(rank(r), tensor, from);
  return sum;
}

/// Floats in memory that ranks share or not.
class Floats {
 public:
  Floats(std::int64_t count, float value, bool shared)
      : count_(count), bytes_(make(4 * count, shared)) {
    std::fill(begin(), end(), value);
  }
  static AlignedBytes make(std::int64_t bytes, bool shared) {
    return shared ? AlignedBytes::shareable(bytes) : AlignedBytes(bytes);
  }
  float* begin() const { return reinterpret_cast<float*>(bytes_.data()); }
  float* end() const { return begin() + count_; }
  float& operator[](std::int64_t i) const { return begin()[i]; }
  std::int64_t size() const { return count_; }
  friend bool operator==(const Floats& a, const Floats& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::int64_t count_;
  AlignedBytes bytes_;
};
using Tensors = std::vector<Floats>;

template <class T>
std::vector<T> addresses(const Tensors& tensors) {
  std::vector<T> list;
  for (const Floats& tensor : tensors) list.push_back(tensor.begin());
  return list;
}
Tensors results_of(const std::vector<ExchangeSpec>& bucket, bool shared) {
  Tensors results;
  for (const ExchangeSpec& spec : bucket) results.emplace_back(spec.result_elements, -1.0F, shared);
  return results;
}

struct Options {
  bool by_library = false, shared = false;
};

/// How often a rank sees something else than it should.
int mistakes(Network& network, Kind kind, const std::vector<Shape>& shapes, Options options) {
  Groups groups(network, {kRows, kCols});
  Pool pool(1);
  const int row = network.rank() / static_cast<int>(kCols), me = network.rank() % kCols;
  std::vector<ExchangeSpec> bucket;
  Tensors operands;
  for (std::size_t t = 0; t < shapes.size(); ++t) {
    bucket.push_back(spec_of(kind, shapes[t]));
    bucket.back().by_library = options.by_library;
    operands.emplace_back(bucket[t].source_elements, 0.0F, options.shared);
    for (std::int64_t i = 0; i < operands[t].size(); ++i)
      operands[t][i] = number(network.rank(), t, i);
  }
  const auto x = addresses<const void*>(operands);
  const auto scratch = [&](const std::vector<ExchangeSpec>& of) {
    return Floats::make(bucket_scratch(of), options.shared);
  };

  Tensors alone = results_of(bucket, options.shared), packed = results_of(bucket, options.shared),
          later = results_of(bucket, options.shared);
  const auto y_alone = addresses<void*>(alone), y_packed = addresses<void*>(packed),
             y_later = addresses<void*>(later);
  for (std::size_t t = 0; t < bucket.size(); ++t) {
    const std::vector<ExchangeSpec> one = {bucket[t]};
    exchange(groups, pool, one, &x[t], &y_alone[t], scratch(one).data());
  }
  const std::int64_t sent =
      exchange(groups, pool, bucket, x.data(), y_packed.data(), scratch(bucket).data());
  int wrong = packed != alone;
  // Threads are of one process.
  wrong += (groups.along({1}).shared != nullptr) != allocates_shareable(network);
  if (kind != Kind::all_reduce) wrong += sent != sent_bytes(bucket);
  {
    AsyncSum sum;
    for (int round = 0; round < 2; ++round) {
      wrong += sum.start(groups, pool, bucket, x.data(), y_later.data()) != sent;
      groups.advance();
      sum.wait();
      wrong += later != alone;
      for (const Floats& tensor : later) std::fill(tensor.begin(), tensor.end(), -1.0F);
    }
  }
  for (std::size_t t = 0; t < shapes.size(); ++t)
    for (std::int64_t i = 0; i < packed[t].size(); ++i)
      wrong += std::fabs(packed[t][i] - wanted(kind, shapes[t], t, row, me, i)) > 1e-5;
  return wrong;
}

int mistakes_of_all(Kind kind, const std::vector<Shape>& shapes, Options options = {}) {
  return run_on_threads(static_cast<int>(kRows * kCols),
                        [&](Network& network) { return mistakes(network, kind, shapes, options); });
}

}  // namespace

TEST_CASE("a single tensor whose blocks stand one after the other is sent from its place") {
  Pool pool(1);
  std::vector<float> operand(3 * 40), result(3 * 40);
  const void* x = operand.data();
  void* y = result.data();
  const auto copied = [&](Kind kind, const Shape& shape) {
    const std::vector<ExchangeSpec> one = {spec_of(kind, shape)};
    std::vector<std::byte> scratch(static_cast<std::size_t>(bucket_scratch(one)));
    const Message message(pool, one, &x, &y, scratch.data());
    return std::pair(message.from() != x, message.to() != y);
  };
  CHECK(copied(Kind::all_reduce, {4, 2, 5}) == std::pair(false, false));
  CHECK(copied(Kind::reduce_scatter, {1, 8, 5}) == std::pair(false, false));
  CHECK(copied(Kind::reduce_scatter, {4, 2, 5}) == std::pair(true, false));
  CHECK(copied(Kind::all_gather, {1, 8, 5}) == std::pair(false, false));
  CHECK(copied(Kind::all_gather, {4, 2, 5}) == std::pair(false, true));
}

TEST_CASE("a bucket on the wire gives each tensor what a message of its own gives") {
  // Cut along an inner dimension, along the first, one element; more than is gathered whole.
  const std::vector<Shape> shapes = {{4, 2, 5}, {1, 3, 7}, {1, 1, 1}, {5, 1, 1}};
  const std::vector<Shape> large = {{3, 100, 17}, {1, 1001, 1}, {2, 3, 4}};
  for (const Kind kind :
       {Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather, Kind::all_to_all}) {
    INFO(name(kind));
    CHECK(mistakes_of_all(kind, shapes) == 0);
    CHECK(mistakes_of_all(kind, large) == 0);
    CHECK(mistakes_of_all(kind, {shapes[0]}) == 0);
    CHECK(mistakes_of_all(kind, {large[1]}) == 0);
    CHECK(mistakes_of_all(kind, {{2, 0, 3}, shapes[1]}) == 0);  // nothing of one
    for (const auto& of : {shapes, large, {large[1]}, {{300, 70, 19}}})
      CHECK(mistakes_of_all(kind, of, {.shared = true}) == 0);
  }
  // A library that cannot add leaves it to us.
  CHECK(mistakes_of_all(Kind::reduce_scatter, shapes, {.by_library = true}) == 0);
}

}  // namespace comm_exchange_test
