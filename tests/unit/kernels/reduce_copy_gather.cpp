// Reductions, copies, gathers and contractions against plain loops.
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

#include "kernels/copy_bytes.h"
#include "lab.h"

namespace kernels_reduce_copy_gather_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

namespace {

DType result_type(DType x, Combine kind) {
  return x == DType::boolean && kind == Combine::sum ? DType::i32 : x;
}

double folded(Combine kind, double a, double b) {
  if (kind == Combine::sum) return a + b;
  return kind == Combine::max ? std::max(a, b) : std::min(a, b);
}

void check_reduce(const ReduceSpec& spec, const Array& x) {
  Array expected(spec.y, volume(spec.kept_extents));
  std::int64_t i = 0;
  for_each_place(spec.kept_extents, [&](const std::vector<std::int64_t>& kept) {
    bool first = true;
    double value = 0;
    for_each_place(spec.reduced_extents, [&](const std::vector<std::int64_t>& reduced) {
      const double v =
          x.at(offset_of(kept, spec.kept_strides) + offset_of(reduced, spec.reduced_strides));
      value = first ? v : folded(spec.kind, value, v);
      first = false;
    });
    expected.set(i++, value);
  });
  for (Pool* pool : pools()) {
    Array y(spec.y, expected.size());
    const OneCall call({x.data()}, {y.data()});
    reduce(*pool, spec, call.get(), 1);
    REQUIRE(y == expected);
  }
}

}  // namespace

TEST_CASE("reductions over any dimensions in any order", "[reduce]") {
  for (int round = 0; round < 400; ++round) {
    ReduceSpec spec;
    spec.kind = static_cast<Combine>(pick(0, 2));
    spec.x = kAllDTypes[static_cast<std::size_t>(round % 6)];
    spec.y = result_type(spec.x, spec.kind);
    std::vector<std::int64_t> extents = random_extents(4);
    const std::vector<std::int64_t> strides = random_strides(extents, true);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const bool kept = pick(0, 1) == 0;
      (kept ? spec.kept_extents : spec.reduced_extents).push_back(extents[d]);
      (kept ? spec.kept_strides : spec.reduced_strides).push_back(strides[d]);
    }
    check_reduce(spec, small_integers(spec.x, span(extents, strides)));
  }
}

TEST_CASE("long rows, long columns and everything at once", "[reduce]") {
  for (const DType dtype : {DType::f32, DType::f64, DType::i32, DType::boolean}) {
    const DType y = result_type(dtype, Combine::sum);
    const auto x = [&](std::int64_t n) { return small_integers(dtype, n); };
    check_reduce({dtype, y, Combine::sum, {}, {}, {100003}, {1}}, x(100003));
    check_reduce({dtype, y, Combine::sum, {3}, {30001}, {30001}, {1}}, x(90003));
    check_reduce({dtype, y, Combine::sum, {300}, {1}, {1000}, {300}}, x(300000));
    check_reduce({dtype, y, Combine::sum, {5}, {1}, {2, 9000}, {45000, 5}}, x(90000));
    check_reduce({dtype, dtype, Combine::max, {700}, {64}, {64}, {1}}, x(44800));
    check_reduce({dtype, y, Combine::sum, {700}, {1}, {3, 5}, {3500, 700}}, x(10500));
    check_reduce({dtype, y, Combine::sum, {4}, {1000}, {50, 1000}, {4000, 1}}, x(200000));
  }
}

TEST_CASE("an empty reduction gives the neutral element", "[reduce]") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto neutral = [](DType dtype, Combine kind) {
    Array y(result_type(dtype, kind), 3), x(dtype, 1);
    const ReduceSpec spec{dtype, result_type(dtype, kind), kind, {3}, {0}, {0}, {3}};
    const OneCall call({x.data()}, {y.data()});
    reduce(*pools()[1], spec, call.get(), 1);
    REQUIRE(y.at(0) == y.at(2));
    return y.at(1);
  };
  CHECK(neutral(DType::f32, Combine::sum) == 0);
  CHECK(neutral(DType::bf16, Combine::max) == -inf);
  CHECK(neutral(DType::f64, Combine::min) == inf);
  CHECK(neutral(DType::i32, Combine::max) == std::numeric_limits<std::int32_t>::min());
  CHECK(neutral(DType::boolean, Combine::sum) == 0);
  CHECK(neutral(DType::boolean, Combine::min) == 1);
}

TEST_CASE("copies between any strides", "[copy]") {
  for (int round = 0; round < 300; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round % 6)];
    CopySpec spec;
    spec.element_size = static_cast<std::size_t>(bytes_of(dtype));
    spec.extents = random_extents(4);
    if (round % 7 == 0) spec.extents = {pick(1, 90), pick(1, 90)};
    if (round % 23 == 0) spec.extents.push_back(0);
    spec.x_strides = random_strides(spec.extents, false);
    spec.y_strides = random_strides(spec.extents, true);
    spec.x_base = {1, {{0, 2}}};
    spec.y_base = {2, {}};
    spec.y_size = span(spec.extents, spec.y_strides) + 5;
    spec.zero_y_first = true;
    const Array x = small_integers(dtype, span(spec.extents, spec.x_strides) + 7);
    Array expected(dtype, spec.y_size);
    for_each_place(spec.extents, [&](const std::vector<std::int64_t>& place) {
      expected.copy(2 + offset_of(place, spec.y_strides), x,
                    1 + 2 * 3 + offset_of(place, spec.x_strides));
    });
    const Array before = small_integers(dtype, spec.y_size);
    for (Pool* pool : pools()) {
      Array y = before;
      const OneCall call({x.data()}, {y.data()}, {3});
      copy(*pool, spec, call.get(), 1);
      REQUIRE(y == expected);
    }
  }
}

TEST_CASE("one long row is copied by several threads", "[copy]") {
  struct Row {
    std::int64_t extent, x_stride, y_stride, least_tasks;
  };
  // The last one is a prime, which no pieces divide.
  for (const Row& row : {Row{1 << 20, 1, 1, 32}, Row{784000, 1, 1, 24}, Row{98304, 2, 1, 3},
                         Row{98304, 1, 3, 3}, Row{65537, 1, 1, 1}}) {
    CopySpec spec;
    spec.element_size = 4;
    spec.extents = {row.extent};
    spec.x_strides = {row.x_stride};
    spec.y_strides = {row.y_stride};
    spec.y_size = row.extent * row.y_stride;
    CHECK(pieces(spec).tasks >= row.least_tasks);
    const Array x = small_integers(DType::i32, row.extent * row.x_stride);
    for (Pool* pool : pools()) {
      Array y = small_integers(DType::i32, spec.y_size);
      copy(*pool, spec, OneCall({x.data()}, {y.data()}, {}).get(), 1);
      bool same = true;
      for (std::int64_t i = 0; i < row.extent; ++i)
        same = same && y.at(i * row.y_stride) == x.at(i * row.x_stride);
      CHECK(same);
    }
  }
}

TEST_CASE("gathering and its adjoint, with blocks and places outside", "[gather]") {
  for (int round = 0; round < 200; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round % 5)];
    // x[parts of 3][row][column..], row indexed; y[token, column..]
    const std::int64_t tokens = pick(1, 40), columns = pick(1, 200), rows = pick(1, 9);
    const std::int64_t parts = pick(1, 3), part = pick(0, parts - 1);
    GatherSpec spec;
    spec.dtype = dtype;
    spec.extents = {tokens, columns};
    spec.x_strides = {0, 1};
    spec.fill = 7;
    spec.indices = {{{1, 0}, columns, rows, rows * parts, {0, {{0, rows}}}}};
    const Array x = small_integers(dtype, rows * columns);
    Array indices(DType::i32, tokens);
    for (std::int64_t t = 0; t < tokens; ++t) {
      indices.set(t, static_cast<double>(pick(-1, rows * parts)));
    }
    const Array terms = small_integers(dtype, tokens * columns);
    Array gathered(dtype, tokens * columns), added(dtype, rows * columns);
    std::vector<double> sums(static_cast<std::size_t>(rows * columns), 0);
    for (std::int64_t i = 0; i < tokens * columns; ++i) {
      const auto index = static_cast<std::int64_t>(indices.at(i / columns));
      const std::int64_t local = index - part * rows;
      const bool nowhere = index < 0 || index >= rows * parts;
      if (nowhere) gathered.set(i, part == 0 ? 7 : 0);
      if (nowhere || local < 0 || local >= rows) continue;
      gathered.set(i, x.at(local * columns + i % columns));
      sums[static_cast<std::size_t>(local * columns + i % columns)] += terms.at(i);
    }
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      added.set(i, sums[static_cast<std::size_t>(i)]);
    }
    for (Pool* pool : pools()) {
      Array y(dtype, tokens * columns);
      const OneCall call({x.data(), indices.data()}, {y.data()}, {part});
      gather(*pool, spec, call.get(), 1);
      REQUIRE(y == gathered);
      Array z = small_integers(dtype, rows * columns);
      const OneCall adjoint({terms.data(), indices.data()}, {z.data()}, {part});
      scatter_add(*pool, {spec, rows * columns}, adjoint.get(), 1);
      REQUIRE(z == added);
      if (dtype == DType::f16 || dtype == DType::bf16) continue;  // each addition rounds
      Array sum = small_integers(dtype, rows * columns), elsewhere(dtype, rows * columns);
      Array expected(dtype, rows * columns);
      for (std::int64_t i = 0; i < rows * columns; ++i) expected.set(i, sum.at(i) + added.at(i));
      const OneCall aside({terms.data(), indices.data(), sum.data()}, {elsewhere.data()}, {part});
      add_at(*pool, {{spec, rows * columns}}, aside.get(), 1);
      REQUIRE(elsewhere == expected);
      const OneCall onto({terms.data(), indices.data(), sum.data()}, {sum.data()}, {part});
      add_at(*pool, {{spec, rows * columns}}, onto.get(), 1);
      REQUIRE(sum == expected);
    }
  }
}

TEST_CASE("one entry of each row is added to", "[gather]") {
  for (int round = 0; round < 100; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round % 5)];
    // sum[batch, parts of 2 of time, column] += x[batch, column] at one time
    const std::int64_t batch = pick(1, 40), time = pick(1, 5), columns = pick(1, 700);
    const std::int64_t part = pick(0, 1), index = pick(-1, 2 * time);
    GatherSpec spec;
    spec.dtype = dtype;
    spec.extents = {batch, columns};
    spec.x_strides = {time * columns, 1};
    spec.indices = {{{0, 0}, columns, time, 2 * time, {0, {{0, time}}}}};
    const Array x = small_integers(dtype, batch * columns);
    Array at(DType::i32, 1);
    at.set(0, static_cast<double>(index));
    const Array before = small_integers(dtype, batch * time * columns);
    Array expected = before;
    const std::int64_t local = index - part * time;
    if (index >= 0 && local >= 0 && local < time)
      for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t c = 0; c < columns; ++c) {
          const std::int64_t i = (b * time + local) * columns + c;
          expected.set(i, before.at(i) + x.at(b * columns + c));
        }
    for (Pool* pool : pools()) {
      Array sum = before;
      const OneCall call({x.data(), at.data(), sum.data()}, {sum.data()}, {part});
      add_at(*pool, {{spec, batch * time * columns}}, call.get(), 1);
      REQUIRE(sum == expected);
    }
  }
}

TEST_CASE("two indices pick one element each", "[gather]") {
  // y[b] = x[b, i[b], j[b]], i split in two blocks
  GatherSpec spec;
  spec.dtype = DType::f32;
  spec.extents = {4};
  spec.x_strides = {6};
  spec.indices = {{{1}, 3, 2, 4, {0, {{0, 2}}}}, {{1}, 1, 3, 3, {}}};
  const Array x(DType::f32, std::vector<double>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  const Array i(DType::i32, std::vector<double>{2, 3, 0, 9}),
      j(DType::i32, std::vector<double>{1, 2, 0, 0});
  Array y(DType::f32, 4);
  const OneCall call({x.data(), i.data(), j.data()}, {y.data()}, {1});
  gather(*pools()[0], spec, call.get(), 1);
  CHECK(y == Array(DType::f32, std::vector<double>{1, 11, 0, 0}));
}

TEST_CASE("combining adds in ascending order, in place too", "[combine]") {
  for (const DType dtype : kAllDTypes) {
    const Combine kind = dtype == DType::boolean ? Combine::max : Combine::sum;
    const std::int64_t size = 40001;
    Array a = small_integers(dtype, size);
    const Array b = small_integers(dtype, size), c = small_integers(dtype, size);
    Array expected(dtype, size);
    for (std::int64_t i = 0; i < size; ++i) {
      expected.set(i, folded(kind, folded(kind, a.at(i), b.at(i)), c.at(i)));
    }
    const OneCall call({a.data(), b.data(), c.data()}, {a.data()});
    combine(*pools()[2], dtype, kind, size, 3, call.get(), 1);
    REQUIRE(a == expected);
  }
}

TEST_CASE("bytes are copied from any place to any other") {
  constexpr std::size_t page = 4096, most = 3 * page;
  std::vector<std::uint8_t> x(most + 2 * page), y(most + 2 * page);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  for (const std::size_t bytes : {0, 1, 1023, 2047, 2048, 2049, 3072, 5000, 12288})
    for (const std::size_t behind : {0, 1, 4, 16, 31, 32, 100}) {
      std::fill(y.begin(), y.end(), std::uint8_t{1});
      // So that both lie as far from the beginning of a page.
      const std::size_t from = page - reinterpret_cast<std::uintptr_t>(x.data()) % page;
      const std::size_t to = page - reinterpret_cast<std::uintptr_t>(y.data()) % page + behind;
      copy_bytes(y.data() + to, x.data() + from, bytes);
      INFO(bytes << " bytes, " << behind << " behind");
      REQUIRE(std::equal(x.begin() + static_cast<std::ptrdiff_t>(from),
                         x.begin() + static_cast<std::ptrdiff_t>(from + bytes),
                         y.begin() + static_cast<std::ptrdiff_t>(to)));
      REQUIRE(std::count(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(to), 1) ==
              static_cast<std::ptrdiff_t>(to));
      REQUIRE(std::count(y.begin() + static_cast<std::ptrdiff_t>(to + bytes), y.end(), 1) ==
              static_cast<std::ptrdiff_t>(y.size() - to - bytes));
    }
}

}  // namespace kernels_reduce_copy_gather_test
