// The map kernel: random programs over random spaces against one element at a time.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "lab.h"

namespace kernels_map_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

namespace {

ScalarInstruction operand(int leaf, DType dtype = DType::f32) {
  return mtfc::scalar::operand(leaf, dtype);
}
ScalarInstruction constant(double value, DType dtype = DType::f32) {
  return mtfc::scalar::constant(value, dtype);
}
ScalarInstruction op(ScalarOp which, std::vector<int> args, DType dtype = DType::f32) {
  args.resize(3, -1);
  return mtfc::scalar::op(which, dtype, args[0], args[1], args[2]);
}

}  // namespace

TEST_CASE("a map reads every operand with its own strides", "[map]") {
  for (int round = 0; round < 300; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(pick(0, 4))];
    MapSpec spec;
    spec.extents = random_extents(4);
    if (round % 10 == 0) spec.extents = {pick(1, 3), pick(500, 3000)};
    if (round % 10 == 1) spec.extents = {pick(1, 50), pick(1, 50), pick(1, 70)};
    std::vector<Array> operands;
    for (int o = 0; o < 3; ++o) {
      MapSpec::Operand operand{dtype, random_strides(spec.extents, pick(0, 1) == 0)};
      if (o == 0) operand.strides = dense_strides(spec.extents);
      operands.push_back(small_integers(dtype, span(spec.extents, operand.strides)));
      spec.operands.push_back(operand);
    }
    // x * y + (y + z * z), and z + z: of which parts change per row or not at all.
    spec.body.code = {operand(0, dtype),
                      operand(1, dtype),
                      operand(2, dtype),
                      op(ScalarOp::mul, {0, 1}, dtype),
                      op(ScalarOp::mul, {2, 2}, dtype),
                      op(ScalarOp::add, {1, 4}, dtype),
                      op(ScalarOp::add, {3, 5}, dtype),
                      op(ScalarOp::add, {2, 2}, dtype)};
    spec.body.results = {6, 7, 1};
    const std::int64_t size = volume(spec.extents);
    std::vector<Array> expected(3, Array(dtype, size));
    std::int64_t i = 0;
    for_each_place(spec.extents, [&](const std::vector<std::int64_t>& place) {
      double v[3];
      for (int o = 0; o < 3; ++o) {
        const auto n = static_cast<std::size_t>(o);
        v[o] = operands[n].at(offset_of(place, spec.operands[n].strides));
      }
      expected[0].set(i, v[0] * v[1] + (v[1] + v[2] * v[2]));
      expected[1].set(i, v[2] + v[2]);
      expected[2].set(i, v[1]);
      ++i;
    });
    for (Pool* pool : pools()) {
      std::vector<Array> results(3, Array(dtype, size));
      const OneCall call({operands[0].data(), operands[1].data(), operands[2].data()},
                         {results[0].data(), results[1].data(), results[2].data()});
      map(*pool, spec, call.get(), 1);
      REQUIRE(results == expected);
    }
  }
}

TEST_CASE("a result may take the place of an operand that is read in the same order", "[map]") {
  // m' = m + g, p' = p - m' * p: m' is written before p is read for the last time.
  const std::int64_t size = 5000;
  for (const DType dtype : {DType::f32, DType::bf16, DType::f64}) {
    const Array m = small_integers(dtype, size), g = small_integers(dtype, size),
                p = small_integers(dtype, size);
    MapSpec spec;
    spec.extents = {size};
    spec.operands = {{dtype, {1}}, {dtype, {1}}, {dtype, {1}}};
    spec.body.code = {operand(0, dtype),
                      operand(1, dtype),
                      op(ScalarOp::add, {0, 1}, dtype),
                      operand(2, dtype),
                      op(ScalarOp::mul, {2, 3}, dtype),
                      op(ScalarOp::sub, {3, 4}, dtype),
                      op(ScalarOp::add, {5, 0}, dtype)};
    spec.body.results = {2, 6};
    Array m_in_place = m, p_in_place = p;
    const OneCall call({m_in_place.data(), g.data(), p_in_place.data()},
                       {m_in_place.data(), p_in_place.data()});
    map(*pools()[2], spec, call.get(), 1);
    for (std::int64_t i = 0; i < size; ++i) {
      const double new_m = m.at(i) + g.at(i);
      REQUIRE(m_in_place.at(i) == new_m);
      REQUIRE(p_in_place.at(i) == p.at(i) - new_m * p.at(i) + m.at(i));
    }
  }
}

TEST_CASE("an index counts from where the processor's block begins", "[map]") {
  MapSpec spec;
  spec.extents = {3, 5, 700};
  spec.index_leaves = {{1, {10, {{0, 5}}}}, {2, {}}, {0, {1, {}}}};
  spec.body.code = {mtfc::scalar::leaf(LeafKind::index, 0, DType::i32),
                    mtfc::scalar::leaf(LeafKind::index, 1, DType::f32),
                    op(ScalarOp::cast, {0}, DType::f32), op(ScalarOp::add, {1, 2}),
                    mtfc::scalar::leaf(LeafKind::index, 2, DType::f64)};
  spec.body.results = {3, 0, 4};
  Array sum(DType::f32, 3 * 5 * 700), index(DType::i32, 3 * 5 * 700), outer(DType::f64, 10500);
  const OneCall call({}, {sum.data(), index.data(), outer.data()}, {2});
  map(*pools()[1], spec, call.get(), 1);
  std::int64_t i = 0;
  for_each_place(spec.extents, [&](const std::vector<std::int64_t>& place) {
    REQUIRE(index.at(i) == 20.0 + static_cast<double>(place[1]));
    REQUIRE(sum.at(i) == 20.0 + static_cast<double>(place[1] + place[2]));
    REQUIRE(outer.at(i) == 1.0 + static_cast<double>(place[0]));
    ++i;
  });
}

TEST_CASE("values of lower rate are computed once and spread", "[map]") {
  // (x - mean[row]) * rsqrt(var[row] + eps) * gamma[column] > limit ? .. : constant
  for (const std::int64_t columns : {1, 7, 64, 512, 513, 2000}) {
    const std::int64_t rows = 37;
    MapSpec spec;
    spec.extents = {rows, columns};
    spec.operands = {{DType::f32, {columns, 1}},
                     {DType::f32, {1, 0}},
                     {DType::f32, {1, 0}},
                     {DType::f32, {0, 1}}};
    spec.body.code = {operand(0),
                      operand(1),
                      operand(2),
                      operand(3),
                      constant(1e-5),
                      op(ScalarOp::add, {2, 4}),
                      op(ScalarOp::rsqrt, {5}),
                      op(ScalarOp::sub, {0, 1}),
                      op(ScalarOp::mul, {7, 6}),
                      op(ScalarOp::mul, {8, 3}),
                      op(ScalarOp::gt, {9, 4}, DType::boolean),
                      op(ScalarOp::select, {10, 9, 4})};
    spec.body.results = {11, 6, 4};
    const Array x = reals(DType::f32, rows * columns), mean = reals(DType::f32, rows),
                var = reals(DType::f32, rows, 0.5, 2), gamma = reals(DType::f32, columns);
    Array y(DType::f32, rows * columns), spread = y, everywhere = y;
    const OneCall call({x.data(), mean.data(), var.data(), gamma.data()},
                       {y.data(), spread.data(), everywhere.data()});
    map(*pools()[0], spec, call.get(), 1);
    for (std::int64_t r = 0; r < rows; ++r) {
      const float scale = 1.0f / std::sqrt(static_cast<float>(var.at(r)) + 1e-5f);
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t i = r * columns + c;
        const float normal = (static_cast<float>(x.at(i)) - static_cast<float>(mean.at(r))) *
                             scale * static_cast<float>(gamma.at(c));
        REQUIRE(y.at(i) == static_cast<double>(normal > 1e-5f ? normal : 1e-5f));
        REQUIRE(spread.at(i) == static_cast<double>(scale));
        REQUIRE(everywhere.at(i) == static_cast<double>(1e-5f));
      }
    }
  }
}

TEST_CASE("two operations in one step round twice, whichever argument is one number", "[map]") {
  const std::int64_t rows = 3, columns = 700;
  const std::vector<std::vector<std::int64_t>> strides = {{columns, 1}, {1, 0}, {0, 0}};
  for (const ScalarOp first : {ScalarOp::add, ScalarOp::sub, ScalarOp::mul}) {
    for (const ScalarOp second : {ScalarOp::add, ScalarOp::sub, ScalarOp::mul}) {
      for (int choice = 0; choice < 54; ++choice) {
        MapSpec spec;
        spec.extents = {rows, columns};
        std::vector<Array> operands;
        for (int o = 0, c = choice; o < 3; ++o, c /= 3) {
          spec.operands.push_back({DType::f32, strides[static_cast<std::size_t>(c % 3)]});
          operands.push_back(Array(DType::f32, rows * columns));
          for (std::int64_t i = 0; i < rows * columns; ++i)
            operands.back().set(i, static_cast<double>(pick(1, 1 << 24)) / 3000 - 2000);
        }
        const bool inner_first = choice < 27;
        spec.body.code = {operand(0), operand(1), operand(2), op(first, {0, 1}),
                          op(second, inner_first ? std::vector{3, 2} : std::vector{2, 3})};
        spec.body.results = {4};
        std::vector<Array> expected(1, Array(DType::f32, rows * columns));
        const auto apply = [](ScalarOp which, double a, double b) {
          return static_cast<double>(static_cast<float>(evaluate(which, DType::f64, a, b)));
        };
        for (std::int64_t i = 0; i < rows * columns; ++i) {
          double v[3];
          for (std::size_t o = 0; o < 3; ++o)
            v[o] = operands[o].at(i / columns * spec.operands[o].strides[0] +
                                  i % columns * spec.operands[o].strides[1]);
          const double t = apply(first, v[0], v[1]);
          expected[0].set(i, inner_first ? apply(second, t, v[2]) : apply(second, v[2], t));
        }
        std::vector<Array> results(1, Array(DType::f32, rows * columns));
        const OneCall call({operands[0].data(), operands[1].data(), operands[2].data()},
                           {results[0].data()});
        map(*pools()[1], spec, call.get(), 1);
        REQUIRE(results == expected);
      }
    }
  }
}

}  // namespace kernels_map_test
