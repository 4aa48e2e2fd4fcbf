// Windows, running sums and ranks against plain loops.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "lab.h"

namespace kernels_prefix_sum_top_k_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t elements(const Numbers& extents) {
  std::int64_t n = 1;
  for (std::int64_t e : extents) n *= e;
  return n;
}

/// Calls f with every index of a space, in row-major order.
template <class F>
void each(const Numbers& extents, const F& f) {
  Numbers at(extents.size());
  for (std::int64_t i = 0; i < elements(extents); ++i) {
    std::int64_t rest = i;
    for (std::size_t d = extents.size(); d-- > 0;) {
      at[d] = rest % extents[d];
      rest /= extents[d];
    }
    f(i, at);
  }
}

/// A window over a random tensor: some of x's dimensions are kept, one or two indexed.
struct Case {
  WindowSpec spec;
  std::int64_t x_size = 1;
  std::int64_t coordinate = 0;

  explicit Case(DType dtype) {
    const std::size_t rank = static_cast<std::size_t>(pick(1, 4));
    Numbers x_extents;
    for (std::size_t d = 0; d < rank; ++d)
      x_extents.push_back(pick(0, 9) == 0 ? pick(7, 40) : pick(1, 6));
    Numbers x_strides(rank);
    for (std::size_t d = rank; d-- > 0;) {
      x_strides[d] = x_size;
      x_size *= x_extents[d];
    }
    spec.dtype = dtype;
    spec.fill = static_cast<double>(pick(0, 1));
    coordinate = pick(0, 2);
    for (std::size_t d = 0; d < rank; ++d) {
      const bool indexed = pick(0, 2) == 0 && spec.items.size() < 3;
      if (indexed) {
        WindowSpec::Item item;
        item.x_stride = x_strides[d];
        item.extent = x_extents[d];
        item.begin.base = pick(-3, 3);
        item.begin.terms = {{0, pick(-2, 2)}};
        spec.items.push_back(item);
      } else {
        spec.extents.push_back(x_extents[d]);
        spec.x_strides.push_back(x_strides[d]);
      }
    }
    for (std::int64_t fresh = pick(0, 2); fresh > 0; --fresh) {
      const auto where =
          static_cast<std::ptrdiff_t>(pick(0, static_cast<std::int64_t>(spec.extents.size())));
      spec.extents.insert(spec.extents.begin() + where, pick(0, 4) == 0 ? pick(6, 12) : pick(1, 5));
      spec.x_strides.insert(spec.x_strides.begin() + where, 0);
    }
    for (WindowSpec::Item& item : spec.items)
      for (std::size_t d = 0; d < spec.extents.size(); ++d)
        item.scales.push_back(pick(0, 1) ? 0 : pick(-2, 3));
  }

  /// Where an element of y comes from, or -1.
  std::int64_t place(const Numbers& at) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * spec.x_strides[d];
    for (const WindowSpec::Item& item : spec.items) {
      std::int64_t index = item.begin.at(&coordinate);
      for (std::size_t d = 0; d < at.size(); ++d) index += at[d] * item.scales[d];
      if (index < 0 || index >= item.extent) return -1;
      offset += index * item.x_stride;
    }
    return offset;
  }
};

/// y[outer, length, inner] of small integers, and a call.
struct Line {
  std::int64_t outer = pick(1, 4), length = pick(1, 40),
               inner = pick(0, 2) ? pick(1, 5) : pick(1, 600);
  std::int64_t size() const { return outer * length * inner; }
};

}  // namespace

TEST_CASE("windows and their adjoint", "[window]") {
  for (int round = 0; round < 400; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round) % kAllDTypes.size()];
    const Case c(dtype);
    const std::int64_t size = elements(c.spec.extents);
    const Array x = small_integers(dtype, c.x_size), g = small_integers(dtype, size);
    Array y(dtype, size), want(dtype, size), back(dtype, c.x_size), sums(dtype, c.x_size);
    std::vector<double> total(static_cast<std::size_t>(c.x_size));
    each(c.spec.extents, [&](std::int64_t i, const Numbers& at) {
      const std::int64_t from = c.place(at);
      want.set(i, from < 0 ? c.spec.fill : x.at(from));
      if (from >= 0) total[static_cast<std::size_t>(from)] += g.at(i);
    });
    Pool pool(1 + round % 2);
    const void* in = x.data();
    void* out = y.data();
    const Call call{&in, &out, &c.coordinate};
    window(pool, c.spec, &call, 1);
    CHECK(y == want);
    if (dtype == DType::boolean) continue;
    in = g.data();
    out = back.data();
    window_add(pool, {c.spec, c.x_size}, &call, 1);
    for (std::int64_t i = 0; i < c.x_size; ++i) sums.set(i, total[static_cast<std::size_t>(i)]);
    CHECK(back == sums);
  }
}

TEST_CASE("running sums", "[along]") {
  for (int round = 0; round < 120; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round) % 5];
    const Line l;
    const PrefixSumSpec spec{dtype, l.outer, l.length, l.inner, pick(0, 1) == 0, pick(0, 1) == 0};
    const Array x = small_integers(dtype, l.size());
    Array y(dtype, l.size()), want(dtype, l.size());
    for (std::int64_t o = 0; o < l.outer; ++o)
      for (std::int64_t i = 0; i < l.inner; ++i) {
        double sum = 0;
        for (std::int64_t step = 0; step < l.length; ++step) {
          const std::int64_t k = spec.reverse ? l.length - 1 - step : step;
          const std::int64_t at = (o * l.length + k) * l.inner + i;
          if (spec.exclusive) want.set(at, sum);
          sum += x.at(at);
          if (!spec.exclusive) want.set(at, sum);
        }
      }
    Pool pool(1 + round % 2);
    const void* in = x.data();
    void* out = y.data();
    const Call call{&in, &out, nullptr};
    prefix_sum(pool, spec, &call, 1);
    CHECK(y == want);
  }
}

TEST_CASE("a long running sum of floats is rounded once", "[along]") {
  constexpr std::int64_t n = 1 << 20;
  Array x(DType::f32, n), y(DType::f32, n);
  for (std::int64_t i = 0; i < n; ++i) x.set(i, 0.1);
  Pool pool(1);
  const void* in = x.data();
  void* out = y.data();
  const Call call{&in, &out, nullptr};
  prefix_sum(pool, {DType::f32, 1, n, 1, false, false}, &call, 1);
  CHECK(y.at(n - 1) == static_cast<double>(static_cast<float>(n * static_cast<double>(0.1f))));
}

TEST_CASE("places of the largest elements", "[along]") {
  for (int round = 0; round < 120; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round) % kAllDTypes.size()];
    const Line l;
    const std::int64_t first = round % 3 == 0 ? pick(0, l.length - 1) : 0;
    const TopKSpec spec{dtype, l.outer, l.length, first, pick(1, l.length - first), l.inner};
    const Array x = small_integers(dtype, l.size());
    Array y(DType::i32, l.outer * spec.k * l.inner);
    Array want = y;
    for (std::int64_t o = 0; o < l.outer; ++o)
      for (std::int64_t i = 0; i < l.inner; ++i) {
        Numbers order(static_cast<std::size_t>(l.length));
        std::iota(order.begin(), order.end(), 0);
        const auto value = [&](std::int64_t k) { return x.at((o * l.length + k) * l.inner + i); };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int64_t a, std::int64_t b) { return value(a) > value(b); });
        for (std::int64_t r = 0; r < spec.k; ++r)
          want.set((o * spec.k + r) * l.inner + i,
                   static_cast<double>(order[static_cast<std::size_t>(spec.first + r)]));
      }
    Pool pool(1 + round % 2);
    const void* in = x.data();
    void* out = y.data();
    const Call call{&in, &out, nullptr};
    top_k(pool, spec, &call, 1);
    CHECK(y == want);
  }
}

TEST_CASE("what is not a number ranks last", "[along]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array x(DType::f32, std::vector<double>{nan, -1, nan, 2, 0});
  Array y(DType::i32, 5);
  Pool pool(1);
  const void* in = x.data();
  void* out = y.data();
  const Call call{&in, &out, nullptr};
  top_k(pool, {DType::f32, 1, 5, 0, 5, 1}, &call, 1);
  CHECK(y == Array(DType::i32, std::vector<double>{3, 4, 1, 0, 2}));
}

}  // namespace kernels_prefix_sum_top_k_test
