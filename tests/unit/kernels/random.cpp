// Random samples: Philox's published answers, moments, and independence of how they are asked for.
#include <Random123/philox.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "kernels/random.h"
#include "lab.h"

namespace kernels_random_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

namespace {

std::vector<const BlockTable*> tables() {
  std::vector<const BlockTable*> found;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (const BlockTable* table = blocks_of(isa)) found.push_back(table);
  }
  return found;
}

Array drawn(const Stream& stream, DType dtype, std::int64_t first, std::int64_t n) {
  Array array(dtype, n);
  sample(stream, dtype, first, n, array.data());
  return array;
}

struct Moments {
  double mean = 0, deviation = 0, low = 1e300, high = -1e300;
};
Moments moments_of(const Array& x) {
  Moments m;
  const auto n = static_cast<double>(x.size());
  for (std::int64_t i = 0; i < x.size(); ++i) {
    m.mean += x.at(i) / n;
    m.low = std::min(m.low, x.at(i));
    m.high = std::max(m.high, x.at(i));
  }
  for (std::int64_t i = 0; i < x.size(); ++i) {
    m.deviation += (x.at(i) - m.mean) * (x.at(i) - m.mean) / n;
  }
  m.deviation = std::sqrt(m.deviation);
  return m;
}

}  // namespace

TEST_CASE("the words are those of Philox4x32-10", "[random]") {
  for (const BlockTable* table : tables()) {
    std::uint32_t w[4];
    table->words(w, 0, 0, 0, 0, 4);  // the first known answer that Random123 publishes
    CHECK(
        (w[0] == 0x6627e8d5u && w[1] == 0xe169c58du && w[2] == 0xbc57ac4cu && w[3] == 0x9b00dbd8u));
    const std::uint64_t key = 0x0123456789abcdefu, first = 0x123456789abcdu;
    std::vector<std::uint32_t> words(1000);
    table->words(words.data(), key, 17, 1, first, 1000);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t counter = (first + i) / 4;
      const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
      const auto expected = r123::Philox4x32{}({{low(counter), low(counter >> 32), 17, 1}},
                                               {{low(key), low(key >> 32)}});
      CHECK(words[i] == expected[(first + i) % 4]);
    }
  }
}

TEST_CASE("every instruction set gives the same samples", "[random]") {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const Distribution kind :
         {Distribution::uniform, Distribution::normal, Distribution::truncated_normal}) {
      const SampleArgs args{kind, dtype, kind == Distribution::uniform ? -1.0 : 0.7, 3, 99, 5};
      std::vector<unsigned char> first;
      for (const BlockTable* table : tables()) {
        std::vector<unsigned char> y(8 * 5000);
        table->sample(y.data(), args, 1234567, 1, 5000);
        if (first.empty()) first = y;
        CHECK(y == first);
      }
    }
  }
}

TEST_CASE("moments of the distributions", "[random]") {
  const std::int64_t n = 400000;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Moments u = moments_of(drawn({Distribution::uniform, -1, 3, 42, 0}, dtype, 0, n));
    CHECK(u.mean == Approx(1).margin(0.01));
    CHECK(u.deviation == Approx(4 / std::sqrt(12)).margin(0.01));
    CHECK((u.low >= -1 && u.high < 3));
    const Moments z = moments_of(drawn({Distribution::normal, 2, 0, 43, 0}, dtype, 0, n));
    CHECK(z.mean == Approx(0).margin(0.02));
    CHECK(z.deviation == Approx(2).margin(0.02));
    CHECK(z.high > 8);
    const Moments t = moments_of(drawn({Distribution::truncated_normal, 2, 0, 44, 0}, dtype, 0, n));
    CHECK(t.mean == Approx(0).margin(0.02));
    CHECK(t.deviation == Approx(2).margin(0.01));
    CHECK(t.high <= 4 / 0.87962566103423978 + 1e-5);
    CHECK(t.high > 4.5);
  }
  const Array i = drawn({Distribution::integers, 10, 0, 45, 0}, DType::i32, 0, n);
  std::vector<int> counts(10, 0);
  for (std::int64_t k = 0; k < n; ++k) ++counts.at(static_cast<std::size_t>(i.at(k)));
  for (const int count : counts) CHECK(count == Approx(n / 10).margin(800));
  CHECK(moments_of(drawn({Distribution::bernoulli, 0.3, 0, 46, 0}, DType::boolean, 0, n)).mean ==
        Approx(0.3).margin(0.004));
  CHECK(moments_of(drawn({Distribution::bernoulli, 1, 0, 46, 0}, DType::boolean, 0, 1000)).low ==
        1);
  CHECK(moments_of(drawn({Distribution::bernoulli, 0, 0, 46, 0}, DType::boolean, 0, 1000)).high ==
        0);
}

TEST_CASE("normal samples follow the distribution function", "[random]") {
  const std::int64_t n = 200000;
  std::vector<double> z;
  const Array samples = drawn({Distribution::normal, 1, 0, 7, 3}, DType::f64, 0, n);
  for (std::int64_t i = 0; i < n; ++i) z.push_back(samples.at(i));
  std::sort(z.begin(), z.end());
  double distance = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = 0.5 * std::erfc(-z[static_cast<std::size_t>(i)] / std::sqrt(2.0));
    distance = std::max(distance, std::fabs(p - static_cast<double>(i) / static_cast<double>(n)));
  }
  CHECK(distance < 1.63 / std::sqrt(static_cast<double>(n)));  // Kolmogorov, 1 %
}

TEST_CASE("samples in f64 are those in f32 with more digits", "[random]") {
  for (const Distribution kind :
       {Distribution::uniform, Distribution::normal, Distribution::truncated_normal}) {
    const Stream stream{kind, kind == Distribution::uniform ? 0.0 : 1.0, 1, 5, 6};
    const Array narrow = drawn(stream, DType::f32, 0, 100000),
                wide = drawn(stream, DType::f64, 0, 100000);
    for (std::int64_t i = 0; i < 100000; ++i) {
      const double most =
          kind == Distribution::uniform ? 0x1p-24 : 3e-6 * (1 + std::fabs(wide.at(i)));
      if (!(std::fabs(narrow.at(i) - wide.at(i)) <= most)) {
        CHECK(narrow.at(i) == Approx(wide.at(i)).margin(most));
      }
    }
  }
}

TEST_CASE("uniform samples stay below their upper end in narrow types", "[random]") {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const Moments m = moments_of(drawn({Distribution::uniform, 0, 1, 11, 0}, dtype, 0, 200000));
    CHECK(m.high < 1);
    CHECK(m.high > 0.99);
    CHECK(moments_of(drawn({Distribution::uniform, -3, -1, 11, 0}, dtype, 0, 100000)).high < -1);
  }
}

TEST_CASE("a shard has its part of the whole", "[random]") {
  // [6, 40] as 2 x 4 shards, and transposed; at step 3.
  const std::int64_t rows = 6, columns = 40;
  const Array whole = drawn({Distribution::normal, 1.5, 0, 77, 3}, DType::f32, 0, rows * columns);
  const Array step(DType::i32, std::vector<double>{3});
  for (std::int64_t r = 0; r < 2; ++r) {
    for (std::int64_t c = 0; c < 4; ++c) {
      for (const bool transposed : {false, true}) {
        MapSpec spec;
        spec.operands = {{DType::i32, {0, 0}}};
        MapSpec::RandomLeaf leaf{Distribution::normal,           1.5, 0, 77, 0, {columns, 1},
                                 {{0, {{0, 3}}}, {0, {{1, 10}}}}};
        spec.extents = {3, 10};
        if (transposed) {
          spec.extents = {10, 3};
          std::reverse(leaf.strides.begin(), leaf.strides.end());
          std::reverse(leaf.offsets.begin(), leaf.offsets.end());
        }
        spec.random_leaves = {leaf};
        spec.body.code = {mtfc::scalar::random(0, DType::f32)};
        spec.body.results = {0};
        Array shard(DType::f32, 30);
        const OneCall call({step.data()}, {shard.data()}, {r, c});
        map(*pools()[1], spec, call.get(), 1);
        for (std::int64_t i = 0; i < 3; ++i) {
          for (std::int64_t j = 0; j < 10; ++j) {
            CHECK(shard.at(transposed ? j * 3 + i : i * 10 + j) ==
                  whole.at((r * 3 + i) * columns + c * 10 + j));
          }
        }
      }
    }
  }
}

TEST_CASE("permutations are permutations, a different one every epoch", "[random]") {
  for (const std::int64_t n : {0, 1, 2, 1000}) {
    std::vector<std::int64_t> p = permutation(5, 0, n);
    if (n == 1000) CHECK(p != permutation(5, 1, n));
    CHECK(p == permutation(5, 0, n));
    std::sort(p.begin(), p.end());
    for (std::int64_t i = 0; i < n; ++i) CHECK(p[static_cast<std::size_t>(i)] == i);
  }
}

}  // namespace kernels_random_test
