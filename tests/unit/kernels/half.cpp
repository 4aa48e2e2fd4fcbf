// The 16-bit types: conversions against the definition of rounding, and where maps round.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "lab.h"

namespace kernels_half_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The value of 16 bits, by the formats' definitions (IEEE 754 binary16; bf16: the upper half of a
/// binary32).
double value_of(DType dtype, std::uint16_t bits) {
  const int mantissa_bits = dtype == DType::f16 ? 10 : 7;
  const int exponents = dtype == DType::f16 ? 31 : 255, bias = dtype == DType::f16 ? 15 : 127;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits & 0x7fff) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  if (exponent == exponents) return mantissa == 0 ? sign * kInfinity : std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

std::vector<const BlockTable*> tables() {
  std::vector<const BlockTable*> all;
  for (const Isa set : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (const BlockTable* table = blocks_of(set)) all.push_back(table);
  }
  return all;
}

/// An array of one number.
Array single(DType dtype, double value) { return {dtype, std::vector<double>{value}}; }

ScalarInstruction load(DType dtype) { return mtfc::scalar::operand(0, dtype); }
ScalarInstruction op(ScalarOp which, DType dtype, std::vector<int> args) {
  args.resize(3, -1);
  return mtfc::scalar::op(which, dtype, args[0], args[1], args[2]);
}

/// The last instruction of a map over one array.
Array mapped(const Array& x, std::vector<ScalarInstruction> code) {
  MapSpec spec;
  spec.extents = {x.size()};
  spec.operands = {{code[0].dtype, {1}}};
  spec.body.results = {static_cast<int>(code.size()) - 1};
  const DType result = code.back().dtype;
  spec.body.code = std::move(code);
  Array y(result, x.size());
  const OneCall call({x.data()}, {y.data()});
  map(*pools()[1], spec, call.get(), 1);
  return y;
}

}  // namespace

TEST_CASE("every 16-bit number is loaded as what its bits mean", "[half]") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    std::vector<std::uint16_t> all(65536), back(65536);
    std::vector<float> wide(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    for (const BlockTable* table : tables()) {
      table->loads[static_cast<int>(dtype)](wide.data(), all.data(), 1, 0, 65536, 1);
      table->stores[static_cast<int>(dtype)](back.data(), wide.data(), 65536);
      bool same = true, survives = true;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double value = value_of(dtype, all[i]);
        const bool nan = std::isnan(value);
        same = same && (nan ? std::isnan(wide[i]) : static_cast<double>(wide[i]) == value);
        survives = survives && (nan ? std::isnan(value_of(dtype, back[i])) : back[i] == all[i]);
      }
      CHECK(same);
      CHECK(survives);
    }
  }
}

TEST_CASE("floats become the nearest 16-bit number, ties the even one", "[half]") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    // Around every point halfway between two neighbours, the largest finite one and infinity
    // included: there the next number is taken as if exponents went on.
    std::vector<float> x;
    std::vector<std::uint16_t> expected;
    const std::uint16_t infinity = dtype == DType::f16 ? 0x7c00 : 0x7f80;
    for (std::uint16_t low = 0; low < infinity; ++low) {
      const double a = value_of(dtype, low);
      double b = value_of(dtype, low + 1);
      if (low + 1 == infinity) b = 2 * a - value_of(dtype, low - 1);
      const auto middle = static_cast<float>(a + (b - a) / 2);
      if (std::isinf(middle)) continue;
      const std::uint16_t even = low % 2 == 0 ? low : low + 1, high = low + 1;
      for (const auto& [value, bits] :
           {std::pair{std::nextafter(middle, 0.0f), low}, std::pair{middle, even},
            std::pair{std::nextafter(middle, INFINITY), high}}) {
        if (std::isinf(value)) continue;
        x.push_back(value);
        expected.push_back(bits);
        x.push_back(-value);
        expected.push_back(bits | 0x8000);
      }
    }
    // The largest f32 is beyond the largest bf16 by more than half a step.
    for (const float value : {INFINITY, std::numeric_limits<float>::max()}) {
      x.push_back(value);
      expected.push_back(infinity);
      x.push_back(-value);
      expected.push_back(infinity | 0x8000);
    }
    const auto n = static_cast<std::int64_t>(x.size());
    REQUIRE(n > 100000);
    for (const BlockTable* table : tables()) {
      std::vector<std::uint16_t> y(x.size());
      table->stores[static_cast<int>(dtype)](y.data(), x.data(), n);
      CHECK(y == expected);
      std::vector<float> rounded(x.size());
      table->rounds[static_cast<int>(dtype)](rounded.data(), x.data(), n);
      bool same = true;
      for (std::size_t i = 0; i < x.size(); ++i) {
        same = same && static_cast<double>(rounded[i]) == value_of(dtype, expected[i]);
      }
      CHECK(same);
    }
  }
}

TEST_CASE("what is not a number stays so when it is narrowed", "[half]") {
  // Quiet and signalling, with every bit of the payload alone: none may become an infinity.
  for (const DType dtype : {DType::f16, DType::bf16}) {
    std::vector<float> x;
    for (int bit = 0; bit < 23; ++bit) {
      x.push_back(std::bit_cast<float>(0x7f800000u | 1u << bit));
      x.push_back(std::bit_cast<float>(0xff800000u | 1u << bit));
    }
    for (const BlockTable* table : tables()) {
      std::vector<std::uint16_t> y(x.size());
      table->stores[static_cast<int>(dtype)](y.data(), x.data(),
                                             static_cast<std::int64_t>(x.size()));
      for (const std::uint16_t bits : y) CHECK(std::isnan(value_of(dtype, bits)));
    }
  }
}

TEST_CASE("a map rounds what it stores, casts and compares, and nothing else", "[half]") {
  using S = ScalarOp;
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Array x = reals(dtype, 3000, -200, 200);
    const auto as_f32 = [&](std::int64_t i) { return static_cast<float>(x.at(i)); };
    const auto rounded = [&](double value) { return single(dtype, value).at(0); };

    // Two squarings: the one between is not rounded. f16 would overflow there.
    const Array y = mapped(x, {load(dtype), op(S::mul, dtype, {0, 0}), op(S::mul, dtype, {1, 1}),
                               op(S::sqrt, dtype, {2})});
    for (std::int64_t i = 0; i < x.size(); ++i) {
      const float square = as_f32(i) * as_f32(i);
      REQUIRE(y.at(i) == rounded(static_cast<double>(std::sqrt(square * square))));
    }
    // A third, cast to f32, is a number of the 16-bit type.
    const ScalarInstruction three = mtfc::scalar::constant(3, DType::f32);
    const Array third = mapped(x, {load(dtype), three, op(S::cast, dtype, {1}),
                                   op(S::div, dtype, {0, 2}), op(S::cast, DType::f32, {3})});
    // f32 made narrow is rounded when it is made wide again.
    const Array wide = reals(DType::f32, 3000, -200, 200);
    const Array there_and_back =
        mapped(wide, {load(DType::f32), op(S::cast, dtype, {0}), op(S::cast, DType::f32, {1})});
    // And compares as what it would be stored as.
    const Array equal =
        mapped(wide, {load(DType::f32), op(S::cast, dtype, {0}), op(S::cast, DType::f32, {1}),
                      op(S::cast, dtype, {2}), op(S::eq, DType::boolean, {1, 3})});
    for (std::int64_t i = 0; i < x.size(); ++i) {
      REQUIRE(third.at(i) == rounded(static_cast<double>(as_f32(i) / 3)));
      REQUIRE(there_and_back.at(i) == rounded(wide.at(i)));
      REQUIRE(equal.at(i) == 1);
    }
  }
}

TEST_CASE("products and sums of 16-bit numbers are added up in f32", "[half]") {
  // 4096 times 1 + 2^-6 (exact in both types): added up in 16 bits, it would stop at 256 or 2048.
  const double term = 1 + std::ldexp(1, -6);
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (const DType result : {dtype, DType::f32}) {
      const Array x(dtype, std::vector<double>(4096, term)),
          one(dtype, std::vector<double>(4096, 1));
      const double expected = single(result, 4096 * term).at(0);
      Array sum(result, 1), product(result, 1);
      const OneCall reduced({x.data()}, {sum.data()}),
          multiplied({x.data(), one.data()}, {product.data()});
      reduce(*pools()[1], {dtype, result, Combine::sum, {}, {}, {4096}, {1}}, reduced.get(), 1);
      CHECK(sum.at(0) == expected);
      ContractSpec spec;
      spec.a = spec.b = dtype;
      spec.c = result;
      spec.k = {{4096, 1, 1, 0}};
      spec.a_size = spec.b_size = 4096;
      spec.c_size = 1;
      contract(*pools()[1], spec, multiplied.get(), 1);
      CHECK(product.at(0) == expected);
    }
    // The sum that collectives do: 1 + 3 times half of the last bit, rounded once.
    const double ulp = dtype == DType::f16 ? std::ldexp(1, -10) : std::ldexp(1, -7);
    const Array big = single(dtype, 1), small = single(dtype, 0.5 * ulp);
    Array total(dtype, 1);
    const OneCall call({big.data(), small.data(), small.data(), small.data()}, {total.data()});
    combine(*pools()[0], dtype, Combine::sum, 1, 4, call.get(), 1);
    CHECK(total.at(0) == 1 + 2 * ulp);  // 1.5 ulp: a tie, to the even neighbour
  }
}

}  // namespace kernels_half_test
