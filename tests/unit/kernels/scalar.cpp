// Every scalar operation in every type: against the C library in a wider type, with the error in
// units in the last place; the same bits with every instruction set.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "lab.h"
#include "scalar_lab.h"

namespace kernels_scalar_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;
using namespace mtfc::runtime::scalar_lab;

namespace {

void check_ulps(ScalarOp op, double most, const std::function<long double(long double)>& exact) {
  const std::vector<float> x = floats(), y = run<float>(op, Repr::f32, x);
  double worst = 0;
  float where = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], exact(x[i]));
    if (!(error <= worst)) {
      worst = error;
      where = x[i];
    }
  }
  INFO(static_cast<int>(op) << ": " << worst << " ulp at " << where);
  CHECK(worst <= most);
}

}  // namespace

TEST_CASE("functions of f32 are accurate to some units in the last place", "[scalar]") {
  using L = long double;
  check_ulps(ScalarOp::exp, 1.0, [](L x) { return std::exp(x); });
  check_ulps(ScalarOp::expm1, 2.0, [](L x) { return std::expm1(x); });
  check_ulps(ScalarOp::log, 1.0, [](L x) { return std::log(x); });
  check_ulps(ScalarOp::log1p, 3.0, [](L x) { return std::log1p(x); });
  check_ulps(ScalarOp::tanh, 2.0, [](L x) { return std::tanh(x); });
  check_ulps(ScalarOp::sigmoid, 3.0, [](L x) { return 1 / (1 + std::exp(-x)); });
  check_ulps(ScalarOp::softplus, 3.0, [](L x) {
    return std::max(x, 0.0L) + (std::isnan(x) ? x : std::log1p(std::exp(-std::fabs(x))));
  });
  check_ulps(ScalarOp::erf, 2.0, [](L x) { return std::erf(x); });
  check_ulps(ScalarOp::sin, 1.0, [](L x) { return std::sin(x); });
  check_ulps(ScalarOp::cos, 1.0, [](L x) { return std::cos(x); });
  check_ulps(ScalarOp::sqrt, 0.5, [](L x) { return std::sqrt(x); });
  check_ulps(ScalarOp::rsqrt, 1.5, [](L x) { return 1 / std::sqrt(x); });
  check_ulps(ScalarOp::floor, 0, [](L x) { return std::floor(x); });
  check_ulps(ScalarOp::ceil, 0, [](L x) { return std::ceil(x); });
  check_ulps(ScalarOp::round, 0, [](L x) { return std::rint(x); });
  check_ulps(ScalarOp::neg, 0, [](L x) { return -x; });
  check_ulps(ScalarOp::abs, 0, [](L x) { return std::fabs(x); });
  check_ulps(ScalarOp::sign, 0, [](L x) { return x > 0 ? 1 : x < 0 ? -1 : x; });
}

TEST_CASE("functions of f64 are the C library's", "[scalar]") {
  std::vector<double> x;
  for (const float f : floats()) x.push_back(static_cast<double>(f));
  const std::map<ScalarOp, double (*)(double)> functions = {
      {ScalarOp::exp, std::exp},    {ScalarOp::log, std::log},     {ScalarOp::sqrt, std::sqrt},
      {ScalarOp::sin, std::sin},    {ScalarOp::cos, std::cos},     {ScalarOp::tanh, std::tanh},
      {ScalarOp::erf, std::erf},    {ScalarOp::floor, std::floor}, {ScalarOp::ceil, std::ceil},
      {ScalarOp::round, std::rint}, {ScalarOp::abs, std::fabs},    {ScalarOp::expm1, std::expm1},
      {ScalarOp::log1p, std::log1p}};
  for (const auto& [op, function] : functions) {
    const std::vector<double> y = run<double>(op, Repr::f64, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = function(x[i]);
      if (y[i] != expected && !(std::isnan(y[i]) && std::isnan(expected))) CHECK(y[i] == expected);
    }
  }
  const std::vector<double> s = run<double>(ScalarOp::sigmoid, Repr::f64, x),
                            p = run<double>(ScalarOp::softplus, Repr::f64, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) continue;
    const long double l = x[i], e = std::exp(-std::fabs(l));
    CHECK(s[i] ==
          Approx(static_cast<double>(1 / (1 + std::exp(-l)))).epsilon(1e-15).margin(1e-307));
    CHECK(p[i] == Approx(static_cast<double>(std::max(l, 0.0L) + std::log1p(e)))
                      .epsilon(1e-15)
                      .margin(1e-307));
  }
}

TEST_CASE("division with remainder rounds down, in every type", "[scalar]") {
  const std::vector<double> a = {7, -7, 7, -7, 6, -6, 0, 5.5, -5.5, 1},
                            b = {3, 3, -3, -3, 3, 3, 5, 2, 2, 0.1};
  const std::vector<double> q = {2, -3, -3, 2, 2, -2, 0, 2, -3, 9},
                            r = {1, 2, -2, -1, 0, 0, 0, 1.5, 0.5, std::fmod(1, 0.1)};
  CHECK(run<double>(ScalarOp::floordiv, Repr::f64, a, b) == q);
  CHECK(run<double>(ScalarOp::mod, Repr::f64, a, b) == r);
  const std::vector<float> af(a.begin(), a.end() - 1), bf(b.begin(), b.end() - 1),
      qf(q.begin(), q.end() - 1), rf(r.begin(), r.end() - 1);
  CHECK(run<float>(ScalarOp::floordiv, Repr::f32, af, bf) == qf);
  CHECK(run<float>(ScalarOp::mod, Repr::f32, af, bf) == rf);
  const std::int32_t low = std::numeric_limits<std::int32_t>::min();
  const std::vector<std::int32_t> x = {7, -7, 7, -7, low, low, 5, low},
                                  y = {3, 3, -3, -3, -1, 0, 0, 2};
  CHECK(run<std::int32_t>(ScalarOp::floordiv, Repr::i32, x, y) ==
        std::vector<std::int32_t>{2, -3, -3, 2, low, 0, 0, low / 2});
  CHECK(run<std::int32_t>(ScalarOp::mod, Repr::i32, x, y) ==
        std::vector<std::int32_t>{1, 2, -2, -1, 0, 0, 0, 0});
}

TEST_CASE("integers wrap around and never trap", "[scalar]") {
  const std::int32_t low = std::numeric_limits<std::int32_t>::min(), high = ~low;
  using I = std::vector<std::int32_t>;
  CHECK(run<std::int32_t>(ScalarOp::add, Repr::i32, I{high}, I{1}) == I{low});
  CHECK(run<std::int32_t>(ScalarOp::sub, Repr::i32, I{low}, I{1}) == I{high});
  CHECK(run<std::int32_t>(ScalarOp::mul, Repr::i32, I{low}, I{-1}) == I{low});
  CHECK(run<std::int32_t>(ScalarOp::neg, Repr::i32, I{low}) == I{low});
  CHECK(run<std::int32_t>(ScalarOp::abs, Repr::i32, I{low, -5}) == I{low, 5});
  CHECK(run<std::int32_t>(ScalarOp::sign, Repr::i32, I{-9, 0, 9}) == I{-1, 0, 1});
  CHECK(run<std::int32_t>(ScalarOp::pow, Repr::i32, I{3, -2, 5, 0, 2}, I{4, 3, -1, 0, 31}) ==
        I{81, -8, 0, 1, low});
  CHECK(run<std::int32_t>(ScalarOp::max, Repr::i32, I{low, 4}, I{0, 5}) == I{0, 5});
}

TEST_CASE("casts round, saturate and test for zero", "[scalar]") {
  const auto cast = [](DType to, DType from, double value) {
    Array in(from, std::vector<double>{value}), out(to, 1);
    MapSpec spec;
    spec.operands = {{from, {}}};
    spec.body.code = {mtfc::scalar::operand(0, from), mtfc::scalar::op(ScalarOp::cast, to, 0)};
    spec.body.results = {1};
    const OneCall call({in.data()}, {out.data()});
    map(*pools()[0], spec, call.get(), 1);
    return out.at(0);
  };
  CHECK(cast(DType::i32, DType::f32, -2.9) == -2);
  CHECK(cast(DType::i32, DType::f64, 1e12) == 2147483647);
  CHECK(cast(DType::i32, DType::f64, 2147483646.5) == 2147483646);
  CHECK(cast(DType::i32, DType::f64, -2147483648.5) == -2147483648.0);
  CHECK(cast(DType::i32, DType::f32, -kInfinity) == -2147483648.0);
  CHECK(cast(DType::i32, DType::f32, kNaN) == 0);
  CHECK(cast(DType::boolean, DType::f32, 0.001) == 1);
  CHECK(cast(DType::boolean, DType::i32, 256) == 1);
  CHECK(cast(DType::boolean, DType::f64, -0.0) == 0);
  CHECK(cast(DType::f32, DType::i32, 16777217) == 16777216);
  CHECK(cast(DType::f16, DType::f32, 65519.0) == 65504);
  CHECK(cast(DType::f16, DType::f32, 65520.0) == kInfinity);
  CHECK(cast(DType::f16, DType::f64, 1e-8) == 0);
  CHECK(cast(DType::f16, DType::f32, std::ldexp(3, -25)) == std::ldexp(2, -24));
  CHECK(cast(DType::bf16, DType::f32, 1 + std::ldexp(1, -8)) == 1);
  CHECK(cast(DType::bf16, DType::f32, 1 + std::ldexp(3, -8)) == 1 + std::ldexp(1, -6));
  // Rounded once: by way of f32 this would be a tie, and go down to 1.
  CHECK(cast(DType::bf16, DType::f64, 1 + std::ldexp(1, -8) + std::ldexp(1, -40)) ==
        1 + std::ldexp(1, -7));
  CHECK(cast(DType::f16, DType::f64, 1 + std::ldexp(1, -11) + std::ldexp(1, -40)) ==
        1 + std::ldexp(1, -10));
  CHECK(std::isnan(cast(DType::bf16, DType::f32, kNaN)));
  CHECK(std::isnan(cast(DType::f16, DType::f32, kNaN)));
  CHECK(cast(DType::f64, DType::boolean, 1) == 1);
}

TEST_CASE("every 16-bit number survives being loaded and stored", "[scalar]") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    std::vector<std::uint16_t> all(65536), back(65536);
    std::vector<float> wide(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    for (const BlockTable* table : tables()) {
      table->loads[static_cast<int>(dtype)](wide.data(), all.data(), 1, 0, 65536, 1);
      table->stores[static_cast<int>(dtype)](back.data(), wide.data(), 65536);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::isnan(wide[i])) continue;
        if (back[i] != all[i]) CHECK(back[i] == all[i]);
      }
    }
  }
}

TEST_CASE("comparisons, logic and selection", "[scalar]") {
  const std::vector<double> a = {1, 2, 2, kNaN, kNaN, -0.0}, b = {2, 2, 1, 1, kNaN, 0.0};
  const auto compared = [&](ScalarOp op) { return run<double, std::uint8_t>(op, Repr::f64, a, b); };
  using B = std::vector<std::uint8_t>;
  CHECK(compared(ScalarOp::eq) == B{0, 1, 0, 0, 0, 1});
  CHECK(compared(ScalarOp::ne) == B{1, 0, 1, 1, 1, 0});
  CHECK(compared(ScalarOp::lt) == B{1, 0, 0, 0, 0, 0});
  CHECK(compared(ScalarOp::le) == B{1, 1, 0, 0, 0, 1});
  CHECK(compared(ScalarOp::gt) == B{0, 0, 1, 0, 0, 0});
  CHECK(compared(ScalarOp::ge) == B{0, 1, 1, 0, 0, 1});
  const B t = {0, 0, 1, 1}, u = {0, 1, 0, 1};
  CHECK(run<std::uint8_t>(ScalarOp::logical_and, Repr::boolean, t, u) == B{0, 0, 0, 1});
  CHECK(run<std::uint8_t>(ScalarOp::logical_or, Repr::boolean, t, u) == B{0, 1, 1, 1});
  CHECK(run<std::uint8_t>(ScalarOp::logical_not, Repr::boolean, t) == B{1, 1, 0, 0});
  for (const ScalarOp op : {ScalarOp::min, ScalarOp::max}) {
    const auto y = run<double>(op, Repr::f64, {1, kNaN, 2, kNaN}, {kNaN, 1, 3, kNaN});
    CHECK((std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[3])));
    CHECK(y[2] == (op == ScalarOp::min ? 2 : 3));
  }
  const std::vector<float> yes = {1, 2, 3, 4}, no = {5, 6, 7, 8};
  for (int pattern = 0; pattern < 7; ++pattern) {
    std::vector<float> y(4);
    const void* args[] = {t.data(), yes.data(), no.data()};
    block_of(blocks(), ScalarOp::select, Repr::f32, pattern)(y.data(), args, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const bool which = t[(pattern & 1) != 0 ? 0 : i] != 0;
      CHECK(y[i] == (which ? yes[(pattern & 2) != 0 ? 0 : i] : no[(pattern & 4) != 0 ? 0 : i]));
    }
  }
}

TEST_CASE("powers", "[scalar]") {
  const std::vector<float> x = {2, -2, 3, 0, 4, 9, -1}, y = {3, 3, 2, 0, 0.5f, -0.5f, 0.5f};
  const std::vector<float> z = run<float>(ScalarOp::pow, Repr::f32, x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK((ulps(z[i], std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i]))) <=
           1));
  }
}

TEST_CASE("every instruction set gives the same bits", "[scalar]") {
  const std::vector<float> x = floats();
  std::vector<float> shifted = x;
  std::rotate(shifted.begin(), shifted.begin() + 1001, shifted.end());
  const auto same_on_all = [&](int op, Repr repr, const void* a, const void* b, const void* c,
                               int pattern) {
    std::vector<unsigned char> first;
    const auto n = static_cast<std::int64_t>(x.size());
    for (const BlockTable* table : tables()) {
      const OpBlock block = table->ops[op][static_cast<int>(repr)][pattern];
      if (block == nullptr) continue;
      std::vector<unsigned char> y(x.size() * 8, 0);
      const void* args[] = {a, b, c};
      block(y.data(), args, n);
      // Which NaN it is may differ.
      if (repr == Repr::f32) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          float v;
          std::memcpy(&v, &y[4 * i], 4);
          if (std::isnan(v)) std::memset(&y[4 * i], 0xff, 4);
        }
      }
      if (first.empty()) first = y;
      INFO("op " << op << " representation " << static_cast<int>(repr) << " " << table->name);
      CHECK(y == first);
    }
  };
  std::vector<std::int32_t> i(x.size()), j(x.size());
  std::vector<std::uint8_t> t(x.size()), u(x.size());
  for (std::size_t n = 0; n < x.size(); ++n) {
    i[n] = std::bit_cast<std::int32_t>(x[n]);
    j[n] = n % 3 == 0 ? static_cast<std::int32_t>(n % 7) - 3 : i[x.size() - 1 - n];
    t[n] = n % 3 == 0;
    u[n] = n % 5 < 2;
  }
  for (int op = 0; op < scalar_op_count; ++op) {
    const bool select = op == static_cast<int>(ScalarOp::select);
    const void* condition = t.data();
    for (int pattern = 0; pattern < 8; ++pattern) {
      if (select) {
        same_on_all(op, Repr::f32, condition, x.data(), shifted.data(), pattern);
        same_on_all(op, Repr::i32, condition, i.data(), j.data(), pattern);
      } else {
        same_on_all(op, Repr::f32, x.data(), shifted.data(), nullptr, pattern);
        same_on_all(op, Repr::i32, i.data(), j.data(), nullptr, pattern);
        same_on_all(op, Repr::boolean, t.data(), u.data(), nullptr, pattern);
      }
    }
  }
}

TEST_CASE("every instruction set adds in the same order", "[scalar]") {
  const Array x = reals(DType::f32, 100000);
  std::vector<std::int64_t> offsets = {0, 1003, 40000, 13};
  for (const std::int64_t length : {1, 5, 16, 37, 64, 1000}) {
    for (const std::int64_t stride : {1, 3}) {
      FoldArgs args{x.data(), offsets.data(), 4, length, stride, 7, 50};
      std::vector<float> first;
      for (const BlockTable* table : tables()) {
        std::vector<float> y(100);
        table->fold_rows[0][0](y.data(), args);
        FoldArgs columns = args;
        columns.length = 1;
        table->fold_columns[0][0](y.data() + 50, columns);
        if (first.empty()) first = y;
        CHECK(y == first);
      }
    }
  }
}

TEST_CASE("a single number gets what a block gets", "[kernels]") {
  const std::vector<double> floats = {-3.5, -1, -0.0, 0, 0.25, 1, 2, 7.75};
  const std::vector<std::int32_t> ints = {-7, -1, 0, 1, 2, 9};
  for (int number = 0; number < scalar_op_count; ++number) {
    const auto op = static_cast<ScalarOp>(number);
    if (op == ScalarOp::cast || arity(op) == 3) continue;
    INFO(name(op));
    for (const Repr repr : {Repr::f32, Repr::f64, Repr::i32, Repr::boolean}) {
      const DType dtypes[] = {DType::f32, DType::f64, DType::i32, DType::boolean};
      CHECK((block_of(blocks(), op, repr) != nullptr) == takes(op, dtypes[static_cast<int>(repr)]));
    }
    const auto same = [](double a, double b) { return a == b || (a != a && b != b); };
    const auto check = [&]<class T>(const std::vector<T>& values, DType dtype, Repr repr) {
      for (const T a : values)
        for (const T b : values) {
          const double one = evaluate(op, dtype, a, b);
          if (gives_bool(op))
            CHECK(one == (run<T, std::uint8_t>(op, repr, {a}, {b})[0]));
          else
            CHECK(same(one, run<T>(op, repr, {a}, {b})[0]));
        }
    };
    if (takes(op, DType::f64)) check(floats, DType::f64, Repr::f64);
    if (takes(op, DType::i32)) check(ints, DType::i32, Repr::i32);
    if (!takes(op, DType::i32)) CHECK(std::isnan(evaluate(op, DType::i32, 1, 1)));
  }
  CHECK(evaluate(ScalarOp::select, DType::i32, 0, 3, 4) == 4);
  CHECK(evaluate(ScalarOp::select, DType::f32, 1, 3, 4) == 3);
}
}  // namespace kernels_scalar_test
