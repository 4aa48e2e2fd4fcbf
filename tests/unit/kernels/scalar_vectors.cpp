// Powers, quotients and remainders: their vector forms against references that round once, and
// against single elements.
#include <catch2/catch.hpp>

#include <algorithm>

#include "scalar_lab.h"

namespace kernels_scalar_vectors_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::scalar_lab;

TEST_CASE("powers of f32 are the C library's in f64, rounded, exceptions included", "[scalar]") {
  std::vector<float> some = floats();
  some.resize(2000);
  for (const float e : {2.0f, 3.0f, -1.0f, 0.5f, 16777215.0f, -16777217.0f, 33554432.0f, 149.5f}) {
    some.push_back(e);
    some.push_back(-e);
  }
  std::vector<float> x, y;
  for (std::size_t i = 0; i < some.size(); ++i) {
    for (const std::size_t j : {i % 29, (i * 17) % some.size(), some.size() - 1 - i % 16}) {
      for (const bool turned : {false, true}) {
        x.push_back(some[turned ? j : i]);
        y.push_back(some[turned ? i : j]);
      }
    }
  }
  const std::vector<float> z = run<float>(ScalarOp::pow, Repr::f32, x, y);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact =
        std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i]));
    const double error = ulps(z[i], exact);
    INFO(x[i] << " ^ " << y[i] << " = " << z[i]);
    if (!(error <= 0.51) || (z[i] == 0 && std::signbit(z[i]) != std::signbit(exact)))
      CHECK(error <= 0.51);
    worst = std::max(worst, error);
  }
  CHECK(worst > 0.3);  // or nothing was compared
}

TEST_CASE("quotients and remainders of f32 and i32 are exact", "[scalar]") {
  const std::vector<float> a = floats();
  std::vector<float> b = a;
  std::rotate(b.begin(), b.begin() + 997, b.end());
  const std::vector<float> q = run<float>(ScalarOp::floordiv, Repr::f32, a, b),
                           r = run<float>(ScalarOp::mod, Repr::f32, a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(a[i] << " by " << b[i]);
    float rest = std::fmod(a[i], b[i]);
    if (rest == 0) {
      rest = std::copysign(0.0f, b[i]);
    } else if ((rest < 0) != (b[i] < 0)) {
      rest += b[i];
    }
    if (!(ulps(r[i], rest) == 0 && (r[i] != 0 || std::signbit(r[i]) == std::signbit(rest))))
      CHECK(r[i] == rest);
    const double quotient =
        std::floor(static_cast<double>(a[i]) / static_cast<double>(b[i]));  // exact to 2^27
    if (std::fabs(quotient) < 1e6 && std::isfinite(b[i]) && q[i] != static_cast<float>(quotient))
      CHECK(q[i] == static_cast<float>(quotient));
  }
  std::mt19937 random(3);
  std::uniform_int_distribution<std::int32_t> any(-2147483647 - 1, 2147483647);
  std::vector<std::int32_t> x, y;
  for (int i = 0; i < 50000; ++i) {
    x.push_back(any(random));
    y.push_back(any(random) >> (i % 31));
    if (i % 3 == 0)
      x.back() = static_cast<std::int32_t>(  // at whole quotients and beside them
          std::int64_t{y.back()} * (x.back() / std::max(1, std::abs(y.back() | 1))) + i % 5 - 2);
  }
  const auto qi = run<std::int32_t>(ScalarOp::floordiv, Repr::i32, x, y),
             ri = run<std::int32_t>(ScalarOp::mod, Repr::i32, x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t n = x[i], d = y[i];
    const std::int64_t down = d == 0 ? 0 : n / d - (n % d != 0 && (n < 0) != (d < 0) ? 1 : 0);
    INFO(n << " by " << d);
    if (qi[i] != static_cast<std::int32_t>(down)) CHECK(qi[i] == static_cast<std::int32_t>(down));
    const std::int64_t rest = d == 0 ? 0 : n - down * d;
    if (ri[i] != rest) CHECK(ri[i] == rest);
  }
}

// What a form is not good for makes a block go one by one: vectors need blocks without.
TEST_CASE("a block of any length gives what its elements give alone", "[scalar]") {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> part(-300, 300);
  std::vector<float> a(37), b(37);
  for (const ScalarOp op : {ScalarOp::sin, ScalarOp::cos, ScalarOp::pow, ScalarOp::floordiv,
                            ScalarOp::mod, ScalarOp::exp, ScalarOp::log}) {
    for (const BlockTable* table : tables()) {
      for (std::size_t n = 1; n <= a.size(); ++n) {
        for (std::size_t i = 0; i < n; ++i) a[i] = part(random), b[i] = part(random) / 50 + 7;
        for (int pattern = 0; pattern < (arity(op) == 2 ? 3 : 1); ++pattern) {
          std::vector<float> y(n);
          const void* args[] = {a.data(), b.data()};
          block_of(*table, op, Repr::f32, pattern)(y.data(), args, static_cast<std::int64_t>(n));
          for (std::size_t i = 0; i < n; ++i) {
            const void* one[] = {&a[(pattern & 1) != 0 ? 0 : i], &b[(pattern & 2) != 0 ? 0 : i]};
            float alone;
            block_of(*table, op, Repr::f32)(&alone, one, 1);
            if (std::isnan(alone) && std::isnan(y[i])) continue;
            if (std::bit_cast<std::uint32_t>(y[i]) != std::bit_cast<std::uint32_t>(alone))
              CHECK(y[i] == alone);
          }
        }
      }
    }
  }
}

TEST_CASE("several sums of products at once are those one by one", "[scalar]") {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> part(-1, 1);
  std::vector<float> a(2000), b(2000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = part(random), b[i] = part(random);
  std::vector<float> first;
  for (const BlockTable* table : tables()) {
    std::vector<float> all;
    for (const std::int64_t n : {1, 15, 16, 32, 37, 128})
      for (const std::int64_t count : {1, 3, 4, 5, 8, 11})
        for (const std::int64_t a_step : {0, 130}) {
          std::vector<float> y(40), alone(40);
          table->dots_f32(y.data(), 3, a.data(), a_step, b.data(), 140, n, count);
          for (std::int64_t j = 0; j < count; ++j)
            table->dot_f32(&alone[static_cast<std::size_t>(3 * j)], &a[0] + j * a_step, 1,
                           &b[0] + j * 140, 1, n);
          CHECK(y == alone);
          all.insert(all.end(), y.begin(), y.end());
        }
    if (first.empty()) first = all;
    CHECK(all == first);
  }
}

}  // namespace kernels_scalar_vectors_test
